// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace takt::program {

/// Calls `f` on a stack that has room for tables of the largest files: analyses work in place, without a heap. What it
/// throws comes out. Within another such call, that one's stack: many analyses in a row are best called from one.
/// Throws `environment_error` where the system has no thread.
void on_large_stack(const std::function<void()>& f);

}  // namespace takt::program
