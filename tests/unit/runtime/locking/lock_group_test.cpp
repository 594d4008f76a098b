// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <initializer_list>
#include <stop_token>
#include <system_error>
#include <thread>

#include <takt/rules/locking/group_lock.hpp>
#include <takt/rules/locking/priority_group_lock.hpp>
#include <takt/runtime/locking/protocol_lock.hpp>

#include "team.hpp"

namespace {

using namespace locking_tests;
using namespace std::chrono_literals;

template <class Group>
auto locks(std::initializer_list<takt::lock_id> ids) -> Group::list {
  typename Group::list list;
  for (const auto l : ids) { list.unchecked_push_back(l); }
  return list;
}

}  // namespace

TEST_CASE_TEMPLATE("a group is held as a whole and given back as a whole or lock by lock", Group,
                   takt::group_lock<3, 4>, takt::priority_group_lock<3, 4>) {
  takt::runtime::lock_group<Group> group;
  const auto elsewhere = [&](std::initializer_list<takt::lock_id> ids) {
    bool got = false;
    std::jthread{[&] { got = static_cast<bool>(group.try_acquire(locks<Group>(ids))); }}.join();
    return got;
  };
  auto held = group.acquire(locks<Group>({2, 0}));
  CHECK_FALSE(elsewhere({0, 1}));
  CHECK_FALSE(elsewhere({2}));
  CHECK(elsewhere({1}));
  CHECK(error_of([&] { held.release(1); }) == std::errc::operation_not_permitted);
  held.release(0);
  CHECK(elsewhere({0, 1}));
  CHECK_FALSE(elsewhere({2}));
  held.release(2);
  CHECK_FALSE(static_cast<bool>(held));
  CHECK(error_of([&] { held.release(2); }) == std::errc::operation_not_permitted);
  CHECK(elsewhere({0, 1, 2}));
}

TEST_CASE("misuse of a group is an error with a code") {
  using group_type = takt::group_lock<3, 4>;
  takt::runtime::lock_group<group_type> group;
  CHECK(error_of([&] { (void)group.acquire({}); }) == std::errc::invalid_argument);
  CHECK(error_of([&] { (void)group.try_acquire(locks<group_type>({1, 1})); }) == std::errc::invalid_argument);
  CHECK(error_of([&] { (void)group.acquire(locks<group_type>({3})); }) == std::errc::invalid_argument);
  const auto held = group.acquire(locks<group_type>({0}));
  CHECK(error_of([&] { (void)group.acquire(locks<group_type>({1})); }) == std::errc::resource_deadlock_would_occur);
}

TEST_CASE("a group's wait ends by a stop with what it had been granted given back") {
  using group_type = takt::group_lock<2, 4>;
  takt::runtime::lock_group<group_type> group;
  auto held = group.acquire(locks<group_type>({1}));
  std::stop_source stop;
  std::atomic<bool> nothing{false};
  std::jthread other{[&] { nothing = !group.acquire(stop.get_token(), locks<group_type>({0, 1})); }};
  await([&] { return held.contended(); });
  stop.request_stop();
  other.join();
  CHECK(nothing);
  std::jthread{[&] { CHECK(static_cast<bool>(group.try_acquire(locks<group_type>({0})))); }}.join();
}
