// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included before all else. Debian's libc++ for WASI is built without std::filesystem, and its headers leave out file
// streams with it, which are templates and need nothing of it.
#include <__config>
#undef _LIBCPP_HAS_NO_FILESYSTEM
