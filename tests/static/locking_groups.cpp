// Group locks, progress mechanisms, nesting, ceilings and two-level access in constant expressions; models and
// non-models of their concepts.
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/gpu_access.hpp>
#include <takt/rules/locking/group_lock.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/nesting.hpp>
#include <takt/rules/locking/priority_ceiling.hpp>
#include <takt/rules/locking/priority_group_lock.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/progress.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/rules/locking/resource_groups.hpp>
#include <takt/rules/locking/token_pool.hpp>

#include <array>
#include <concepts>
#include "../support/progress_edges.hpp"

namespace {

using namespace takt;

static_assert(LockingProtocol<priority_mutex<4>>);
static_assert(!LockingProtocol<group_lock<2, 4>>, "one release can satisfy several clients");
static_assert(!LockingProtocol<token_pool<priority_mutex<4>>>, "its answers are checked");
static_assert(!LockingProtocol<int>);

static_assert(GroupLock<group_lock<2, 4>>);
static_assert(GroupLock<priority_group_lock<2, 4>>);
static_assert(GroupLock<fifo_engine_locks<2, 4>>);
static_assert(GroupLock<priority_engine_locks<2, 4>>);
static_assert(!GroupLock<priority_mutex<4>>);
static_assert(!GroupLock<resource_groups<4>>);

static_assert(takt::detail::Contended<priority_mutex<4>>);
static_assert(takt::detail::Contended<k_fmlp<2, 4>>);
static_assert(takt::detail::Contended<r2dglp<2, 4>>);
static_assert(takt::detail::Contended<ck_omlp<2, 4>>);
static_assert(takt::detail::Contended<group_lock<2, 4>>);
static_assert(takt::detail::Contended<token_pool<k_fmlp<2, 4>>>);
static_assert(!takt::detail::Contended<priority_graph<4, 4>>);
static_assert(!takt::detail::Contended<int>);

struct mechanism_without_boost {
  [[nodiscard]] static constexpr auto inheritor(const priority_mutex<4>& l, request_id c) -> request_id {
    return l.inheritor(c);
  }
};
static_assert(ProgressMechanism<no_progress, priority_mutex<4>>);
static_assert(ProgressMechanism<priority_inheritance, r2dglp<2, 4>>);
static_assert(ProgressMechanism<boost_when_contended, group_lock<2, 4>>);
static_assert(ProgressMechanism<boost_when_granted, ck_omlp<2, 4>>);
static_assert(ProgressMechanism<any_progress, token_pool<k_fmlp<2, 4>>>);
static_assert(any_progress{no_progress{}} == no_progress{} && any_progress{no_progress{}} != boost_when_granted{});
static_assert(!ProgressMechanism<mechanism_without_boost, priority_mutex<4>>);
static_assert(!ProgressMechanism<priority_inheritance, int>);
static_assert(!ProgressMechanism<int, priority_mutex<4>>);
static_assert(!std::convertible_to<mechanism_without_boost, any_progress>, "for one type of locks, and no mechanism");

struct lock_without_unlock {
  void lock();
};
static_assert(!BasicLock<lock_without_unlock>);

constexpr auto best_waiting_client_is_next() -> bool {
  priority_mutex<3> m;
  const bool granted = m.issue(0, {}) == 0;
  const bool queued = m.issue(1, {.priority = {7, 1}}) == no_request && m.issue(2, {.priority = {7, 2}}) == no_request;
  m.reprioritize(2, {3, 0});
  return granted && queued && m.release(0) == 2 && m.release(2) == 1;
}
static_assert(best_waiting_client_is_next());

template <class Lock>
constexpr auto one_release_grants_a_group() -> bool {
  Lock g;
  typename Lock::list both;
  both.unchecked_push_back(1);
  both.unchecked_push_back(0);
  typename Lock::list first;
  first.unchecked_push_back(0);
  const bool held = g.issue(0, first, {}).satisfied.size() == 1 && g.issue(1, both, {}).satisfied.empty();
  return held && g.inheritor(1) == 0 && g.release(0).satisfied.size() == 1 && g.holds(1) &&
         g.release(1, 0).satisfied.empty();
}
static_assert(one_release_grants_a_group<group_lock<2, 2>>());
static_assert(one_release_grants_a_group<priority_group_lock<2, 2>>());

template <class Mechanism>
constexpr auto priority_of_a_contended_holder() -> priority_point {
  priority_graph<4, 4> g;
  r2dglp<1, 3> lock;
  takt_tests::progress_edges<3> edges;
  for (request_id c = 0; c < 3; ++c) {
    g.set_base(c, {9 - c, c});
    lock.issue(c, {.priority = g.base(c)});
  }
  g.set_base(3, boosted_priority);
  return edges.follow(lock, Mechanism{}, g, 3) == edge_status::added ? g.effective(0) : lowest_priority;
}
static_assert(priority_of_a_contended_holder<no_progress>() == priority_point{9, 0});
static_assert(priority_of_a_contended_holder<priority_inheritance>() == priority_point{7, 2});
static_assert(priority_of_a_contended_holder<boost_when_contended>() == boosted_priority);
static_assert(priority_of_a_contended_holder<boost_when_granted>() == boosted_priority);

constexpr auto groups_are_merged() -> bool {
  resource_groups<4> groups;
  lock_list<4> used;
  used.unchecked_push_back(3);
  used.unchecked_push_back(1);
  return groups.together(used) == group_status::accepted && groups.lock_of(3) == 1 && groups.lock_of(2) == 2;
}
static_assert(groups_are_merged());

constexpr auto ceiling_blocks_once() -> bool {
  priority_ceiling<1> rule;
  const bool declared =
      rule.declare(0, {1, 0}) == ceiling_status::done && rule.declare(0, {2, 0}) == ceiling_status::done;
  const std::array<ceiling_section, 2> sections{{{{1, 0}, 0, 4}, {{2, 0}, 0, 6}}};
  return declared && ceiling_blocking(rule, sections, {1, 0}) == 6 && rule.lock(2, {2, 0}, 0) == ceiling_status::done &&
         !rule.may_start({1, 0});
}
static_assert(ceiling_blocks_once());

constexpr auto token_then_engine() -> bool {
  gpu_topology<1, 1> t;
  t.add_gpu(t.add_hub(), 2);
  gpu_access<k_fmlp<3, 4>, fifo_engine_locks<1, 4>, gpu_topology<1, 1>> a{
      {.gpus = 1, .tokens_per_gpu = 3}, k_fmlp<3, 4>{}, t};
  const bool token_first = a.request_engine(0, t.execution_engine(0), {}).status == access_status::no_token;
  const bool token = a.request_token(0, {}).granted.size() == 1;
  const bool engine = a.request_engine(0, t.execution_engine(0), {}).granted.size() == 1;
  const bool engine_first = a.release_token(0).status == access_status::engine_held;
  return a.finding() == token_finding::none && token_first && token && engine && engine_first;
}
static_assert(token_then_engine());

}  // namespace
