// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/whole_kernels/parts.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

/// Says which of the cores that admit a task takes it: `prefers(load, best)` says whether a core of this load is better
/// than the best one of a lower number. With `from_last` the search starts at the core used last.
template <class C, class Fraction>
concept CoreChoice = requires(const C& c, const Fraction& load) {
  { c.prefers(load, load) } -> std::convertible_to<bool>;
};

/// Takes the lowest number.
struct first_fit_core {
  [[nodiscard]] static constexpr auto prefers(const auto& /*load*/, const auto& /*best*/) -> bool { return false; }
};
/// Takes the greatest load, of equals the lowest number.
struct best_fit_core {
  [[nodiscard]] static constexpr auto prefers(const auto& load, const auto& best) -> bool { return best < load; }
};
/// Takes the least load, of equals the lowest number.
struct worst_fit_core {
  [[nodiscard]] static constexpr auto prefers(const auto& load, const auto& best) -> bool { return load < best; }
};
/// Takes the lowest number that is not below the core used last.
struct next_fit_core {
  static constexpr bool from_last = true;
  [[nodiscard]] static constexpr auto prefers(const auto& /*load*/, const auto& /*best*/) -> bool { return false; }
};

/// Says in which order tasks are placed: whether one comes before another. Otherwise the given order is kept.
template <class Order, class Task>
concept PlacementOrder = requires(const Order& before, const Task& t) {
  { before(t, t) } -> std::convertible_to<bool>;
};

namespace detail {

struct as_given {
  [[nodiscard]] constexpr auto operator()(const auto& /*a*/, const auto& /*b*/) const -> bool { return false; }
};

}  // namespace detail
struct greatest_load_first {
  [[nodiscard]] constexpr auto operator()(const auto& a, const auto& b) const -> bool {
    return quotient(b.wcet, b.period) < quotient(a.wcet, a.period);
  }
};
struct shortest_deadline_first {
  [[nodiscard]] constexpr auto operator()(const auto& a, const auto& b) const -> bool {
    return a.deadline < b.deadline;
  }
};

enum class placement_status : std::uint8_t {
  placed,
  no_core,   ///< no core admits a task, and no earlier task is moved
  invalid,   ///< the model is wrong
  overflow,  ///< loads do not fit
};

/// Holds the cores of all tasks in the given order, `unassigned_core` for gang tasks and those that are not placed.
template <std::size_t MaxTasks>
struct core_placement {
  placement_status status = placement_status::no_core;
  model_error error{};  ///< of `invalid`; with `no_core` only its task is set
  inline_vector<std::int32_t, MaxTasks> cores;
  std::uint64_t tests = 0;  ///< how often the admission test was asked

  [[nodiscard]] constexpr auto placed() const noexcept -> bool { return status == placement_status::placed; }
};

/// Says whether the tasks of one core hold together.
template <class Test, class Number, std::size_t MaxTasks>
concept AdmissionTest = requires(const Test& test, const task_rows<accelerator_task<Number>, MaxTasks>& part) {
  { test(part) } -> std::convertible_to<bool>;
};

inline constexpr std::int32_t max_placement_cores = 64;

namespace detail {

template <class Number, std::size_t MaxTasks>
class core_packer {
 public:
  using fraction = fraction_of<Number>;
  using table_type = task_rows<accelerator_task<Number>, MaxTasks>;

  constexpr core_packer(const table_type& table, std::int32_t cores) : table_{&table}, cores_{cores} {
    static_cast<void>(out_.cores.resize(table.size(), unassigned_core));
  }

  template <class Choice, class Order, class Test>
  constexpr auto run(const Choice& choice, const Order& order, const Test& test) -> core_placement<MaxTasks> {
    std::size_t sorted[MaxTasks]{};
    const std::size_t count = sort(order, sorted);
    for (std::size_t k = 0; k < count; ++k) {
      const auto& t = table_->tasks[sorted[k]];
      const std::int32_t core = find(t, choice, test);
      if (core == unassigned_core) {
        out_.error.task = t.id;
        return out_;
      }
      out_.cores[sorted[k]] = core;
      loads_[core] = loads_[core] + quotient(t.wcet, t.period);
      if (!is_number(loads_[core])) {
        out_.status = placement_status::overflow;
        return out_;
      }
      // Bound: one per task, at most MaxTasks.
      parts_[core].tasks.unchecked_push_back(t);
      last_ = core;
    }
    out_.status = placement_status::placed;
    return out_;
  }

 private:
  /// Returns positions of the tasks that need one core. Cost: tasks^2 comparisons at most.
  template <class Order>
  constexpr auto sort(const Order& order, std::size_t* sorted) const -> std::size_t {
    const auto before = [&](std::size_t a, std::size_t b) { return order(table_->tasks[a], table_->tasks[b]); };
    std::size_t count = 0;
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if (needs_all_cores(table_->tasks[i].width)) { continue; }
      std::size_t at = count++;
      for (; at > 0 && before(i, sorted[at - 1]); --at) { sorted[at] = sorted[at - 1]; }
      sorted[at] = i;
    }
    return count;
  }

  template <class Choice, class Test>
  constexpr auto find(const accelerator_task<Number>& t, const Choice& choice, const Test& test) -> std::int32_t {
    constexpr bool from_last = requires { requires Choice::from_last; };
    std::int32_t best = unassigned_core;
    for (std::int32_t p = from_last ? last_ : 0; p < cores_; ++p) {
      if (best != unassigned_core && !choice.prefers(loads_[p], loads_[best])) { continue; }
      table_type with = parts_[p];
      // Bound: the task is on no core yet.
      with.tasks.unchecked_push_back(t);
      ++out_.tests;
      if (!test(with)) { continue; }
      best = p;
    }
    return best;
  }

  const table_type* table_;
  std::int32_t cores_;
  std::int32_t last_ = 0;
  core_placement<MaxTasks> out_{};
  fraction loads_[max_placement_cores]{};
  table_type parts_[max_placement_cores]{};
};

}  // namespace detail

/// Pins every task that needs one core to a core, each once and for all. Loads are compared exactly; cores that the
/// tasks name already are not looked at. Cost: at most cores x tasks admission tests.
template <class Number, std::size_t MaxTasks, CoreChoice<fraction_of<Number>> Choice,
          PlacementOrder<accelerator_task<Number>> Order, AdmissionTest<Number, MaxTasks> Test>
[[nodiscard]] constexpr auto place_on_cores(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                            std::int32_t cores, const Choice& choice, const Order& order,
                                            const Test& test) -> core_placement<MaxTasks> {
  core_placement<MaxTasks> out;
  out.error = attribute_fault(table);
  if (!out.error && (cores < 1 || cores > max_placement_cores)) {
    out.error = {.fault = model_fault::platform_size_out_of_range};
  }
  if (out.error) {
    out.status = placement_status::invalid;
    return out;
  }
  return detail::core_packer<Number, MaxTasks>{table, cores}.run(choice, order, test);
}

/// Returns the table with the chosen cores. Pre: the placement is of this table.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto pinned(task_rows<accelerator_task<Number>, MaxTasks> table,
                                    const core_placement<MaxTasks>& placement)
    -> task_rows<accelerator_task<Number>, MaxTasks> {
  TAKT_EXPECTS(placement.cores.size() == table.size());
  for (std::size_t i = 0; i < table.size(); ++i) { table.tasks[i].core = placement.cores[i]; }
  return table;
}

}  // namespace takt::inline TAKT_ABI
