// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Is called when something has ended or been granted. It holds a function and its argument, so that queues store it
/// without the heap. The default calls nothing.
struct completion {
  void (*call)(void* argument) = nullptr;
  void* argument = nullptr;

  void operator()() const {
    if (call != nullptr) { call(argument); }
  }
};

/// Makes a completion that calls a member function: `notify<&runner::copied>(this)`.
template <auto Member, class Object>
[[nodiscard]] auto notify(Object* object) noexcept -> completion {
  return {[](void* o) { (static_cast<Object*>(o)->*Member)(); }, object};
}

}  // namespace takt::inline TAKT_ABI::runtime
