// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace takt::program {

/// Once, before anything else: what this process was started with is made such that its files and its answer are safe.
/// A limit on the size of files is an error that is told, and no file that is opened gets the place of a standard one
/// that is closed.
void prepare_process();

/// Calls `f` where the limit on stacks leaves too little, on one that has room. What it throws comes out.
void on_stack_of_a_program(const std::function<void()>& f);

}  // namespace takt::program
