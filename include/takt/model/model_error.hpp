// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace takt {

/// What can be wrong with a model. docs/errors.md has one entry, with a wrong and a right example, per name.
enum class model_fault : std::uint8_t {
  none,
  no_task,
  empty_chain,
  too_many_tasks,
  too_many_segments,
  period_not_positive,
  deadline_not_positive,
  deadline_exceeds_period,
  negative_time,
  best_case_exceeds_worst_case,
  interleave_below_one,
  overhead_exceeds_work,
  negative_priority,
  negative_core,
  duplicate_name,
  duplicate_priority,
  core_out_of_range,
  copy_without_engine,
  kernel_without_gpu,
  chain_does_not_alternate,
  interleave_among_own_blocks_only,
  more_gpu_tasks_than_sms,
  platform_size_out_of_range,
  plan_does_not_fit,
  one_core_and_gpu_only,
  kernel_time_not_positive,
  preemption_cost_exceeds_time,
  slot_out_of_range,
  slots_overlap,
  choice_out_of_range,
  time_overflow,
};

inline constexpr std::uint32_t nowhere = 0xFFFF'FFFF;

/// Where and what. `task` is the position in the given order, `segment` the position in its chain.
struct model_error {
  model_fault fault = model_fault::none;
  std::uint32_t task = nowhere;
  std::uint32_t segment = nowhere;

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return fault != model_fault::none; }
  [[nodiscard]] friend constexpr auto operator==(const model_error&, const model_error&) noexcept -> bool = default;
};

/// What is wrong, and what is allowed, without the values.
struct fault_text {
  std::string_view field;    ///< the field's name in the file format
  std::string_view problem;  ///< continues the field's value: "exceeds the period"
  std::string_view allowed;
};

[[nodiscard]] constexpr auto describe(model_fault fault) noexcept -> fault_text {
  switch (fault) {
    case model_fault::none: return {"", "", ""};
    case model_fault::no_task: return {"tasks", "there is no task", "at least one task"};
    case model_fault::empty_chain: return {"segments", "the chain is empty", "at least one cpu segment"};
    case model_fault::too_many_tasks: return {"tasks", "there are more tasks than this program holds", "fewer tasks"};
    case model_fault::too_many_segments:
      return {"segments", "there are more segments than this program holds", "fewer segments"};
    case model_fault::period_not_positive: return {"period", "is not positive", "a time of at least 1ns"};
    case model_fault::deadline_not_positive: return {"deadline", "is not positive", "a time of at least 1ns"};
    case model_fault::deadline_exceeds_period:
      return {"deadline", "exceeds the period", "this analysis needs deadline <= period"};
    case model_fault::negative_time: return {"", "is negative", "a time of at least 0ns"};
    case model_fault::best_case_exceeds_worst_case:
      return {"", "has a lower bound above its upper bound", "[lower, upper] with lower <= upper"};
    case model_fault::interleave_below_one:
      return {"interleave", "is below 1", "a ratio of at least 1, such as \"9/5\""};
    case model_fault::overhead_exceeds_work:
      return {"overhead", "exceeds the stretched work", "overhead <= upper work x interleave"};
    case model_fault::negative_priority: return {"priority", "is negative", "0 (highest) or more"};
    case model_fault::negative_core: return {"core", "is negative", "0 or more"};
    case model_fault::duplicate_name: return {"name", "names an earlier task too", "a name of its own for each task"};
    case model_fault::duplicate_priority:
      return {"priority", "belongs to an earlier task too", "a priority of its own for each task"};
    case model_fault::core_out_of_range: return {"core", "is not a core of the platform", "0 to cpus.count - 1"};
    case model_fault::copy_without_engine:
      return {"copy", "needs a copy engine, and the platform has none", "platform.copy_engines, or no copy segments"};
    case model_fault::kernel_without_gpu:
      return {"kernel", "needs a GPU, and the platform has none", "platform.gpus, or no kernel segments"};
    case model_fault::chain_does_not_alternate:
      return {"segments", "do not alternate",
              "cpu segments with one kernel between two of them, and at most one copy before and after each kernel"};
    case model_fault::interleave_among_own_blocks_only:
      return {"interleave", "holds only among blocks of the same kernel",
              "a ratio that holds beside any kernel when physical SMs are shared"};
    case model_fault::more_gpu_tasks_than_sms:
      return {"sms", "cannot be dedicated to each task that has kernels", "at least one SM per such task"};
    case model_fault::platform_size_out_of_range:
      return {"", "is out of range",
              "1 to 1048576 cores or virtual SMs, 1 or 2 copy engines, GPU speeds from 1/10000 to 10000"};
    case model_fault::plan_does_not_fit:
      return {"allocation", "does not fit the platform", "at least one SM per GPU task, and no more than the GPU has"};
    case model_fault::one_core_and_gpu_only:
      return {"platform", "has several cores or GPUs", "one core and one GPU for this analysis"};
    case model_fault::kernel_time_not_positive: return {"wcet", "is not positive", "a time of at least 1ns"};
    case model_fault::preemption_cost_exceeds_time:
      return {"preemption_cost", "exceeds the kernel's own time", "preemption_cost <= wcet"};
    case model_fault::slot_out_of_range:
      return {"slot", "does not lie in its period", "0 <= offset < period and 0 <= budget <= period"};
    case model_fault::slots_overlap:
      return {"slots", "overlap or differ in their periods", "one period, and no instant in both slots"};
    case model_fault::choice_out_of_range: return {"", "names no known choice", "one of the named enumerators"};
    case model_fault::time_overflow:
      return {"", "overflows 64-bit nanoseconds", "times whose sum over the task set stays below 2^63 ns"};
  }
  return {"", "", ""};
}

namespace detail {

/// Not constexpr on purpose: a constant expression that reaches it is refused, and the compiler prints the call.
inline void stop_compilation(const char* /*sentence*/) noexcept {}

// clang-format off: the compiler shows the line of the call, so each sentence stays on it.
constexpr void refuse(const model_error& error) noexcept {
  switch (error.fault) {
    case model_fault::none: return;
    case model_fault::no_task:
      return stop_compilation("takt: the task set has no task; give it one. See docs/errors.md#E03");
    case model_fault::empty_chain:
      return stop_compilation("takt: a task has no segment; give it a cpu(). See docs/errors.md#E02");
    case model_fault::too_many_tasks:
      return stop_compilation("takt: too many tasks; raise the capacity of the table. See docs/errors.md#E04");
    case model_fault::too_many_segments:
      return stop_compilation("takt: too many segments; raise the capacity of the table. See docs/errors.md#E05");
    case model_fault::period_not_positive:
      return stop_compilation("takt: a period is not positive; give period() at least 1ns. See docs/errors.md#E06");
    case model_fault::deadline_not_positive:
      return stop_compilation("takt: a deadline is not positive; give deadline() at least 1ns. See docs/errors.md#E07");
    case model_fault::deadline_exceeds_period:
      return stop_compilation("takt: a deadline exceeds its period; make deadline() <= period(). See docs/errors.md#E08");
    case model_fault::negative_time:
      return stop_compilation("takt: a time is negative; every time is at least 0. See docs/errors.md#E09");
    case model_fault::best_case_exceeds_worst_case:
      return stop_compilation("takt: a best case exceeds its worst case; write (lower, upper) with lower <= upper. See docs/errors.md#E10");
    case model_fault::interleave_below_one:
      return stop_compilation("takt: an interleave ratio is below 1; interleaving never speeds a kernel up. See docs/errors.md#E11");
    case model_fault::overhead_exceeds_work:
      return stop_compilation("takt: a kernel's overhead exceeds its stretched work; overhead is part of work(). See docs/errors.md#E12");
    case model_fault::negative_priority:
      return stop_compilation("takt: a priority is negative; 0 is the highest. See docs/errors.md#E13");
    case model_fault::negative_core:
      return stop_compilation("takt: a core is negative; cores count from 0. See docs/errors.md#E14");
    case model_fault::duplicate_name:
      return stop_compilation("takt: two tasks have the same name; give each its own. See docs/errors.md#E15");
    case model_fault::duplicate_priority:
      return stop_compilation("takt: two tasks have the same priority; give each its own. See docs/errors.md#E16");
    case model_fault::core_out_of_range:
      return stop_compilation("takt: a task is on a core that the platform lacks; use on_core(0) to on_core(count - 1). See docs/errors.md#E17");
    case model_fault::copy_without_engine:
      return stop_compilation("takt: a task copies, but the platform has no copy engine; add pool(copy_engines(1), ...). See docs/errors.md#E18");
    case model_fault::kernel_without_gpu:
      return stop_compilation("takt: a task has a kernel, but the platform has no GPU; add pool(virtual_sms(...), federated). See docs/errors.md#E19");
    case model_fault::chain_does_not_alternate:
      return stop_compilation("takt: a chain does not alternate; write cpu [copy] kernel [copy] cpu .... See docs/errors.md#E20");
    case model_fault::interleave_among_own_blocks_only:
      return stop_compilation("takt: self_interleave() does not hold on shared SMs; use interleave() with the worst ratio beside any kernel. See docs/errors.md#E31");
    case model_fault::more_gpu_tasks_than_sms:
      return stop_compilation("takt: more tasks with kernels than SMs; each needs one of its own. See docs/errors.md#E21");
    case model_fault::platform_size_out_of_range:
      return stop_compilation("takt: the size of a pool is out of range; at least 1, at most 2 copy engines and 1048576 virtual SMs. See docs/errors.md#E22");
    case model_fault::plan_does_not_fit:
      return stop_compilation("takt: the plan does not fit the platform; every GPU task needs an SM, and the sum must not exceed the GPU. See docs/errors.md#E23");
    case model_fault::one_core_and_gpu_only:
      return stop_compilation("takt: this analysis knows one core and one GPU; use a platform with one of each. See docs/errors.md#E26");
    case model_fault::kernel_time_not_positive:
      return stop_compilation("takt: a kernel takes no time; give it a positive time. See docs/errors.md#E49");
    case model_fault::preemption_cost_exceeds_time:
      return stop_compilation("takt: preempting a kernel costs more than its own time; it is at most one wave of blocks. See docs/errors.md#E41");
    case model_fault::slot_out_of_range:
      return stop_compilation("takt: a slot does not lie in its period; use 0 <= offset < period and 0 <= budget <= period. See docs/errors.md#E42");
    case model_fault::slots_overlap:
      return stop_compilation("takt: two slots overlap or have different periods; give them one period and no common instant. See docs/errors.md#E43");
    case model_fault::choice_out_of_range:
      return stop_compilation("takt: a choice is none of those that its type names; use one of the enumerators. See docs/errors.md#E76");
    case model_fault::time_overflow:
      return stop_compilation("takt: times overflow 64-bit nanoseconds; keep their sum below 2^63 ns. See docs/errors.md#E24");
  }
}
// clang-format on

/// Keeps what is wrong with a model and, in a constant expression, stops compilation when it is destroyed.
///
/// Entry points take one as a defaulted argument, so that it dies in the caller's own expression and not inside a call:
/// g++ prints every enclosing call with all types and arguments, thousands of characters above the sentence.
struct refusal {
  model_error error{};

  constexpr refusal() noexcept = default;
  constexpr explicit refusal(bool /*checked_before*/) noexcept {}
  refusal(const refusal&) = delete;
  auto operator=(const refusal&) -> refusal& = delete;
  constexpr ~refusal() {
    if (std::is_constant_evaluated()) { refuse(error); }
  }
};

}  // namespace detail

}  // namespace takt
