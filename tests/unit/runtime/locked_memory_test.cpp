// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <takt/runtime/locked_memory.hpp>

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t stack_bytes = std::size_t{64} << 20;

struct seen {
  bool locked = false;
  std::size_t of_stack = 0;  ///< bytes that are in memory
  std::size_t of_heap = 0;
};

auto resident(const void* from, std::size_t bytes) -> std::size_t {
  const auto begin = (reinterpret_cast<std::uintptr_t>(from) + page - 1) / page * page;
  std::vector<unsigned char> pages(bytes / page - 1);
  if (mincore(reinterpret_cast<void*>(begin), pages.size() * page, pages.data()) != 0) { return 0; }
  return static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char p) { return (p & 1U) != 0; })) * page;
}

/// On a stack that has room for far more than is used of it.
auto lock_there(void* argument) -> void* {
  auto& out = *static_cast<seen*>(argument);
  constexpr std::size_t heap_bytes = std::size_t{8} << 20;
  void* const heap = mmap(nullptr, heap_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  out.locked = takt::runtime::detail::lock_used_memory();
  out.of_heap = resident(heap, heap_bytes);
  pthread_attr_t about;
  void* lowest = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &about) == 0) {
    (void)pthread_attr_getstack(&about, &lowest, &bytes);
    (void)pthread_attr_destroy(&about);
    out.of_stack = resident(lowest, bytes);
  }
  (void)munlockall();
  (void)munmap(heap, heap_bytes);
  return nullptr;
}

}  // namespace

TEST_CASE("what is locked is all memory but the stack that its thread does not use") {
  seen out;
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, stack_bytes) == 0);
  pthread_t thread{};
  REQUIRE(pthread_create(&thread, &attributes, &lock_there, &out) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  (void)pthread_attr_destroy(&attributes);
  if (!out.locked) {
    MESSAGE("skipped: this process may not lock memory");
    return;
  }
  CHECK(out.of_stack >= std::size_t{1} << 20);
  CHECK(out.of_stack < std::size_t{4} << 20);
  CHECK(out.of_heap > std::size_t{7} << 20);
}
