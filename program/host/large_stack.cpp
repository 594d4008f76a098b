// SPDX-License-Identifier: Apache-2.0
#include "../large_stack.hpp"

#include <cstddef>
#include <exception>

#include <pthread.h>

#include "../failure.hpp"

namespace takt::program {

namespace {

/// Only pages that are used take memory.
constexpr std::size_t stack_bytes = std::size_t{256} << 20;

thread_local bool has_large_stack = false;

struct call {
  const std::function<void()>* body;
  std::exception_ptr thrown;
};

auto enter(void* argument) -> void* {
  auto& c = *static_cast<call*>(argument);
  has_large_stack = true;
  try {
    (*c.body)();
  } catch (...) { c.thrown = std::current_exception(); }
  return nullptr;
}

}  // namespace

void on_large_stack(const std::function<void()>& f) {
  if (has_large_stack) {
    f();
    return;
  }
  call c{&f, {}};
  pthread_attr_t attributes;
  pthread_t handle{};
  const bool started = pthread_attr_init(&attributes) == 0 &&
                       pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                       pthread_create(&handle, &attributes, &enter, &c) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) { throw environment_error{"there is no thread with room for an analysis"}; }
  pthread_join(handle, nullptr);
  if (c.thrown) { std::rethrow_exception(c.thrown); }
}

}  // namespace takt::program
