// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/model/limited_preemption.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/task_types.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/early_start.hpp>
#include <takt/rules/kernel_views.hpp>
#include <takt/rules/pool_rule.hpp>

namespace takt::inline TAKT_ABI::detail {

/// A resource that kernels ask for says so.
template <class Resource>
inline constexpr bool is_gpu = requires { typename Resource::runs_kernels; };

/// Returns a GPU as a plan sees it.
[[nodiscard]] constexpr auto gpu_of(const virtual_sms_resource& r, bool shared) noexcept -> gpu_record {
  return {.sms = r.sms,
          .virtual_per_sm = r.per_sm,
          .granularity = r.granularity,
          .shared = shared,
          .speed = r.speed,
          .residency = r.residency};
}
[[nodiscard]] constexpr auto gpu_of(const accelerator_resource& r, bool shared) noexcept -> gpu_record {
  return {.sms = r.record.cores, .shared = shared};
}
/// Tells whether a plan hands its SMs out.
template <class Resource>
inline constexpr bool has_sms = requires(const Resource& r) { gpu_of(r, false); };

/// Tells whether a pool of one resource serves visits that ask for another.
template <class Pool, class Wanted>
inline constexpr bool serves = std::same_as<typename Pool::resource_type, Wanted> ||
                               (std::same_as<Wanted, gpu> && is_gpu<typename Pool::resource_type>);

/// Names the task at a position of its set, from 0.
template <std::uint32_t Position>
struct of_task {};

/// Stops compilation where no pool serves a segment. The template arguments show it, and which task has it.
template <class Segment, bool Served, class Where = void>
struct segment_is_served {
  static constexpr bool passed = Served;
  static_assert(Served,
                "takt: no pool of the platform serves this segment of this task, which the template arguments show, "
                "tasks from 0; add pool(its resource, a rule). See docs/errors.md#E81");
};
template <class Segment, bool Served, class Where>
  requires is_cpu_segment<Segment>
struct segment_is_served<Segment, Served, Where> {
  static constexpr bool passed = Served;
  static_assert(Served,
                "takt: the platform has no processors; add pool(processors(n), fixed_priority). "
                "See docs/errors.md#E27");
};

/// Stops compilation where a section locks what is no mutex of the platform, as the template argument shows.
template <class Mutex, bool IsMutex>
struct mutex_has_pool {
  static constexpr bool passed = IsMutex;
  static_assert(IsMutex,
                "takt: a section locks a mutex, the template argument, that no pool of the platform is; add "
                "pool(mutex{}, locked(priority_inheritance_order)). See docs/errors.md#E102");
};
template <class Mutex, class... Inside, bool Served, class Where>
struct segment_is_served<critical_section<Mutex, Inside...>, Served, Where> : mutex_has_pool<Mutex, Served> {};
/// Stops compilation where time is spent on a mutex.
template <class Mutex, bool OnlyLocked>
struct mutex_is_only_locked {
  static constexpr bool passed = OnlyLocked;
  static_assert(OnlyLocked,
                "takt: this resource, the template argument, is a mutex, and no place to spend time; lock it by "
                "locks<it>(...) instead of visit<it>(...). See docs/errors.md#E102");
};
/// Stops compilation where a section leaves the processor that its mutex is of.
template <class Section, bool OnProcessor>
struct section_is_on_processor {
  static constexpr bool passed = OnProcessor;
  static_assert(OnProcessor,
                "takt: the protocol of this section, the template argument, is one of a single processor, and the "
                "section leaves it; lock cpu() alone, or use locked(priority_mutex_order). See docs/errors.md#E103");
};

template <class Rule>
[[nodiscard]] constexpr auto preempts() noexcept -> bool {
  if constexpr (requires { Rule::preemptive; }) { return Rule::preemptive; }
  return false;
}
/// Returns whether a rule knows when kernels stop, and what that costs.
template <class Rule>
[[nodiscard]] constexpr auto stops_kernels() noexcept -> bool {
  if constexpr (requires { Rule::stops_kernels; }) { return Rule::stops_kernels; }
  return false;
}
/// Stops compilation where a rule takes back what its resource cannot give back.
template <class Pool, bool Copies, bool Kernels>
struct pool_can_preempt {
  static constexpr bool passed = !Copies && !Kernels;
  static_assert(!Copies,
                "takt: this rule preempts, and a copy cannot be taken back; on the copy_engines pool use "
                "nonpreemptive(r) or fifo. See docs/errors.md#E29");
  static_assert(
      !Kernels,
      "takt: this rule preempts, and kernels are not taken from SMs; use levels(r), slots(r, ...) or gang(r), "
      "which stop them, or nonpreemptive(r), fifo, federated or time_slices. "
      "See docs/errors.md#E30");
};
/// Stops compilation where SMs of one's own are asked of something else, of which no plan hands out parts.
template <class Resource, bool HasSms>
struct pool_has_sms {
  static constexpr bool passed = HasSms;
  static_assert(HasSms,
                "takt: federated hands out SMs, and this resource, which is the template argument, has none; use fifo, "
                "nonpreemptive(r) or time_slices. See docs/errors.md#E30");
};

/// Stops compilation where tokens stand for SMs that a resource does not have.
template <class Resource, bool IsGpu>
struct pool_has_tokens {
  static constexpr bool passed = IsGpu;
  static_assert(IsGpu,
                "takt: locked(...) divides the SMs of a GPU into tokens, and this resource, which is the template "
                "argument, has none. See docs/errors.md#E92");
};

/// Stops compilation where a rule cannot tell how long a visit takes. `Needs` says what it reads.
template <class Segment, class Rule, class Needs>
struct visit_time_is_known {
  static constexpr bool passed = std::is_void_v<Segment>;
  static_assert(passed,
                "takt: the rule of a pool cannot tell how long this visit takes; give the visit a fact of the third "
                "template argument, or the rule a view(visit). See docs/errors.md#E82");
};

template <class Platform, class Segment>
inline constexpr bool is_served = false;
template <class... Pools, class Segment>
inline constexpr bool is_served<platform<Pools...>, Segment> =
    (serves<Pools, typename resource_of_segment<Segment>::type> || ...);

template <class Pool, class Segments>
inline constexpr bool is_asked_for = false;
template <class Pool, class... Segments>
inline constexpr bool is_asked_for<Pool, segment_list<Segments...>> =
    (serves<Pool, typename resource_of_segment<Segments>::type> || ...);

template <class Pool, class Segments>
inline constexpr bool is_used =
    is_asked_for<Pool, Segments> || std::same_as<typename Pool::resource_type, processors_resource> ||
    std::same_as<typename Pool::resource_type, copy_engines_resource> || is_gpu<typename Pool::resource_type>;
/// Says that nothing is wrong.
struct no_board_fault {
  static constexpr bool passed = true;
};
/// The first type that is not `no_board_fault`: a sentence that stops compilation once it is looked into. Nothing else
/// is instantiated on the way, which keeps what compilers print above the sentence short.
template <class... Faults>
struct first_sentence {
  using type = no_board_fault;
};
template <class Fault, class... Rest>
struct first_sentence<Fault, Rest...> {
  using type = Fault;
};
template <class... Rest>
struct first_sentence<no_board_fault, Rest...> : first_sentence<Rest...> {};

template <bool Good, class Fault>
using fault_unless = std::conditional_t<Good, no_board_fault, Fault>;

/// Names the header that is missing of the checks of a board.
template <class Resource>
struct board_header_fault {
  using type = no_board_fault;
};
template <class Resource>
  requires lacks_board_checks<Resource>
struct board_header_fault<Resource> {
  using type = board_checks<Resource>;
};
template <class Platform>
struct board_headers_fault {
  using type = no_board_fault;
};
template <class... Pools>
struct board_headers_fault<platform<Pools...>>
    : first_sentence<typename board_header_fault<typename Pools::resource_type>::type...> {};

template <class Platform, class Segments>
struct segments_fault {};
template <class Platform, class... Segments>
struct segments_fault<Platform, segment_list<Segments...>>
    : first_sentence<fault_unless<is_served<Platform, Segments>, segment_is_served<Segments, false>>...> {};

/// A kernel whose time nothing but SMs gives.
template <class Segment>
concept NeedsSms = std::same_as<typename resource_of_segment<Segment>::type, gpu> && !knows<execution_time, Segment> &&
                   !knows<kernel_wcet, Segment>;

/// Tells whether the rule of a pool can tell how long a segment takes there, if it serves it.
template <class Pool, class Segment>
inline constexpr bool knows_time =
    is_critical_section<Segment> || !serves<Pool, typename resource_of_segment<Segment>::type> ||
    is_cpu_segment<Segment> || Views<typename Pool::rule_type, Segment> ||
    (LeavesTime<typename Pool::rule_type, Segment> && (has_sms<typename Pool::resource_type> || !NeedsSms<Segment>));
template <class Pool, class Segment>
using time_sentence =
    visit_time_is_known<Segment, typename Pool::rule_type, typename needs_of<typename Pool::rule_type, Segment>::type>;
template <class Pool, class Segment>
inline constexpr bool takes_segment =
    serves<Pool, typename resource_of_segment<Segment>::type> && knows_time<Pool, Segment>;
/// Says whether some pool can tell how long a segment takes. Of two GPUs, the plan says which one a task uses.
template <class Platform, class Segment>
inline constexpr bool is_taken = false;
template <class... Pools, class Segment>
inline constexpr bool is_taken<platform<Pools...>, Segment> = (takes_segment<Pools, Segment> || ...);

template <class Platform, class Pool, class Segments>
struct times_fault {};
template <class Platform, class Pool, class... Segments>
struct times_fault<Platform, Pool, segment_list<Segments...>>
    : first_sentence<
          fault_unless<knows_time<Pool, Segments> || is_taken<Platform, Segments>, time_sentence<Pool, Segments>>...> {
};
/// Tells whether a pool that is asked for can tell the time of any of the segments.
template <class Pool, class Segments>
inline constexpr bool can_be_used = true;
template <class Pool, class... Segments>
inline constexpr bool can_be_used<Pool, segment_list<Segments...>> =
    !is_asked_for<Pool, segment_list<Segments...>> || (takes_segment<Pool, Segments> || ...);

template <class Pool>
inline constexpr bool takes_copies_back =
    std::same_as<typename Pool::resource_type, copy_engines_resource> && preempts<typename Pool::rule_type>();
template <class Pool>
inline constexpr bool takes_kernels_back =
    is_gpu<typename Pool::resource_type> && preempts<typename Pool::rule_type>() &&
    !stops_kernels<typename Pool::rule_type>();

template <class Rule>
[[nodiscard]] constexpr auto hands_out_sms() noexcept -> bool {
  if constexpr (requires { Rule::hands_out_sms; }) { return Rule::hands_out_sms; }
  return false;
}
template <class Pool>
inline constexpr bool lacks_sms = hands_out_sms<typename Pool::rule_type>() && !has_sms<typename Pool::resource_type>;

/// A rule that fits chains only by some of its choices has `fits_chains`, and `chain_fault`, which stops compilation.
template <class Rule>
struct rule_fault_in_chains {
  using type = no_board_fault;
};
template <class Rule>
  requires requires { typename Rule::chain_fault; }
struct rule_fault_in_chains<Rule> {
  using type = fault_unless<Rule::fits_chains, typename Rule::chain_fault>;
};

/// Stops compilation where a rule, which the template argument shows, makes something that shares no units out.
template <class Rule>
struct rule_makes_server {
  static constexpr bool passed = PoolRule<Rule>;
  static_assert(passed,
                "takt: make_server<Capacity>(units) of this rule, which is the template argument, returns no server; "
                "see PoolServer for what one is asked. See docs/errors.md#E100");
};

/// Stops compilation where a pool of something else than processors is cut into clusters.
template <class Resource, bool HasCores>
struct pool_has_cores {
  static constexpr bool passed = HasCores;
  static_assert(HasCores,
                "takt: clusters are of processors, and a pool of this resource, which is the template argument, is "
                "scheduled as a whole; leave clustered(...) out. See docs/errors.md#E86");
};
template <class Pool>
inline constexpr bool lacks_cores =
    has_clusters<typename Pool::rule_type> && !std::same_as<typename Pool::resource_type, processors_resource>;

/// A pool of tokens that stand for nothing but themselves. Processors, copy engines and what runs kernels are none.
template <class Pool>
inline constexpr bool is_mutex =
    Locked<typename Pool::rule_type> && !is_gpu<typename Pool::resource_type> &&
    !has_sms<typename Pool::resource_type> && !std::same_as<typename Pool::resource_type, processors_resource> &&
    !std::same_as<typename Pool::resource_type, copy_engines_resource>;
template <class Pool>
inline constexpr bool lacks_tokens =
    Locked<typename Pool::rule_type> && !is_mutex<Pool> && !has_sms<typename Pool::resource_type>;

template <class Pool, class Segment>
inline constexpr bool spends_time_on =
    is_mutex<Pool> && !is_critical_section<Segment> && serves<Pool, typename resource_of_segment<Segment>::type>;
template <class Pool, class Segment>
inline constexpr bool locks_no_mutex =
    !is_mutex<Pool> && is_critical_section<Segment> && serves<Pool, typename resource_of_segment<Segment>::type>;
template <class Pool, class Segment>
inline constexpr bool leaves_processor = false;
template <class Pool, class Mutex, class... Inside>
  requires is_mutex<Pool> && std::same_as<typename Pool::resource_type, Mutex>
inline constexpr bool leaves_processor<Pool, critical_section<Mutex, Inside...>> =
    token_is_local<typename Pool::rule_type::token_rule>() && !(is_cpu_segment<Inside> && ...);

template <class Pool, class Segments>
struct mutex_fault {};
template <class Pool, class... Segments>
struct mutex_fault<Pool, segment_list<Segments...>>
    : first_sentence<
          fault_unless<!spends_time_on<Pool, Segments>, mutex_is_only_locked<typename Pool::resource_type, false>>...,
          fault_unless<!locks_no_mutex<Pool, Segments>, mutex_has_pool<typename Pool::resource_type, false>>...,
          fault_unless<!leaves_processor<Pool, Segments>, section_is_on_processor<Segments, false>>...> {};

template <class Platform, class Segments>
struct board_fault {};
template <class... Pools, class Segments>
struct board_fault<platform<Pools...>, Segments>
    : first_sentence<fault_unless<PoolRule<typename Pools::rule_type>, rule_makes_server<typename Pools::rule_type>>...,
                     fault_unless<is_used<Pools, Segments>, unused_pool<typename Pools::resource_type>>...,
                     fault_unless<!lacks_sms<Pools>, pool_has_sms<typename Pools::resource_type, false>>...,
                     fault_unless<!lacks_cores<Pools>, pool_has_cores<typename Pools::resource_type, false>>...,
                     typename rule_fault_in_chains<typename Pools::rule_type>::type...,
                     fault_unless<!lacks_tokens<Pools>, pool_has_tokens<typename Pools::resource_type, false>>...,
                     fault_unless<!claims_in_vain<typename Pools::rule_type>,
                                  early_start_check<typename Pools::rule_type, false>>...,
                     typename segments_fault<platform<Pools...>, Segments>::type,
                     typename mutex_fault<Pools, Segments>::type...,
                     typename times_fault<platform<Pools...>, Pools, Segments>::type...,
                     fault_unless<can_be_used<Pools, Segments>, unused_pool<typename Pools::resource_type>>...,
                     fault_unless<!takes_copies_back<Pools> && !takes_kernels_back<Pools>,
                                  pool_can_preempt<Pools, takes_copies_back<Pools>, takes_kernels_back<Pools>>>...> {};

template <class Segments, class Segment>
inline constexpr bool has_segment = false;
template <class... Segments, class Segment>
inline constexpr bool has_segment<segment_list<Segments...>, Segment> = (std::same_as<Segments, Segment> || ...);

/// The position of the first task of a set that has a segment.
template <class Segment, class... Tasks>
[[nodiscard]] consteval auto first_task_with() -> std::uint32_t {
  std::uint32_t at = 0;
  static_cast<void>(
      ((has_segment<typename visit_source<Tasks>::segments, Segment> || (at += tasks_of<Tasks>, false)) || ...));
  return at;
}

/// Adds to the sentence on a segment which task has it, where the types of the tasks tell.
template <class Fault, class T>
struct fault_of_task {
  using type = Fault;
};
template <class Segment, class... Tasks>
struct fault_of_task<segment_is_served<Segment, false>, task_set<Tasks...>> {
  using type = segment_is_served<Segment, false, of_task<first_task_with<Segment, Tasks...>()>>;
};
template <class Segment, class... Parts>
struct fault_of_task<segment_is_served<Segment, false>, workload<Parts...>> {
  using type = segment_is_served<Segment, false, of_task<first_task_with<Segment, Parts...>()>>;
};

/// Stops compilation where segments and pools of a composed board do not go together. Of a table that was read from a
/// file only the flattening knows.
template <class Platform, class T>
using check_board =
    typename fault_of_task<typename board_fault<Platform, typename visit_source<T>::segments>::type, T>::type;

}  // namespace takt::inline TAKT_ABI::detail
