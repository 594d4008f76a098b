// SPDX-License-Identifier: Apache-2.0
#pragma once

// What threads, locks and files need of the language. Headers that need it include this one first.
#if !defined(__cpp_exceptions) || !defined(__cpp_rtti)
#error \
    "takt: this header needs exceptions and run-time type information; leave out -fno-exceptions and -fno-rtti, or do without it: analyses, searches and the simulator need neither. See docs/errors.md#E116"
#endif
