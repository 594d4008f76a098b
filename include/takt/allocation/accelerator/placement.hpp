// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/accelerator/parts.hpp>
#include <takt/core/choice.hpp>
#include <takt/model/model_error.hpp>

namespace takt {

/// Which of the cores that admit a task takes it; of equals the one with the lowest number.
enum class core_choice : std::uint8_t {
  first_fit,  ///< the lowest number
  best_fit,   ///< the one with the greatest load
  worst_fit,  ///< the one with the least load
  next_fit,   ///< the lowest number that is not below the core used last
};
[[nodiscard]] constexpr auto last_of(core_choice) noexcept -> core_choice { return core_choice::next_fit; }

/// In which order tasks are placed; equal keys keep the given order.
enum class placement_order : std::uint8_t {
  as_given,
  greatest_load_first,
  shortest_deadline_first,
};
[[nodiscard]] constexpr auto last_of(placement_order) noexcept -> placement_order {
  return placement_order::shortest_deadline_first;
}

enum class placement_status : std::uint8_t {
  placed,
  no_core,   ///< no core admits a task, and no earlier task is moved
  invalid,   ///< the model is wrong
  overflow,  ///< loads do not fit
};

/// The cores of all tasks in the given order, `any_core` for gang tasks and those that are not placed.
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
concept AdmissionTest = requires(const Test& test, const accelerator_table<Number, MaxTasks>& part) {
  { test(part) } -> std::convertible_to<bool>;
};

inline constexpr std::int32_t max_placement_cores = 64;

namespace detail {

template <class Number, std::size_t MaxTasks>
class core_packer {
 public:
  using fraction = fraction_of<Number>;
  using table_type = accelerator_table<Number, MaxTasks>;

  constexpr core_packer(const table_type& table, std::int32_t cores) : table_{&table}, cores_{cores} {
    static_cast<void>(out_.cores.resize(table.size(), any_core));
  }

  template <class Test>
  constexpr auto run(core_choice choice, placement_order order, const Test& test) -> core_placement<MaxTasks> {
    std::size_t sorted[MaxTasks]{};
    const std::size_t count = sort(order, sorted);
    for (std::size_t k = 0; k < count; ++k) {
      const auto& t = table_->tasks[sorted[k]];
      const std::int32_t core = find(t, choice, test);
      if (core == any_core) {
        out_.error.task = t.id;
        return out_;
      }
      out_.cores[sorted[k]] = core;
      loads_[core] = loads_[core] + quotient(t.wcet, t.period);
      if (!is_number(loads_[core])) {
        out_.status = placement_status::overflow;
        return out_;
      }
      static_cast<void>(parts_[core].tasks.push_back(t));
      last_ = core;
    }
    out_.status = placement_status::placed;
    return out_;
  }

 private:
  /// Positions of the tasks that need one core. Cost: tasks^2 comparisons at most.
  constexpr auto sort(placement_order order, std::size_t* sorted) const -> std::size_t {
    const auto before = [&](std::size_t a, std::size_t b) {
      const auto& x = table_->tasks[a];
      const auto& y = table_->tasks[b];
      switch (order) {
        case placement_order::as_given: return false;
        case placement_order::greatest_load_first: return quotient(y.wcet, y.period) < quotient(x.wcet, x.period);
        case placement_order::shortest_deadline_first: return x.deadline < y.deadline;
      }
      return false;
    };
    std::size_t count = 0;
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if (needs_all_cores(table_->tasks[i].width)) { continue; }
      std::size_t at = count++;
      for (; at > 0 && before(i, sorted[at - 1]); --at) { sorted[at] = sorted[at - 1]; }
      sorted[at] = i;
    }
    return count;
  }

  template <class Test>
  constexpr auto find(const accelerator_task<Number>& t, core_choice choice, const Test& test) -> std::int32_t {
    std::int32_t best = any_core;
    for (std::int32_t p = first_core(choice); p < cores_; ++p) {
      if (best != any_core && !preferred(choice, p, best)) { continue; }
      table_type with = parts_[p];
      static_cast<void>(with.tasks.push_back(t));
      ++out_.tests;
      if (!test(with)) { continue; }
      best = p;
    }
    return best;
  }
  [[nodiscard]] constexpr auto first_core(core_choice choice) const -> std::int32_t {
    switch (choice) {
      case core_choice::first_fit:
      case core_choice::best_fit:
      case core_choice::worst_fit: return 0;
      case core_choice::next_fit: return last_;
    }
    return 0;
  }
  [[nodiscard]] constexpr auto preferred(core_choice choice, std::int32_t p, std::int32_t best) const -> bool {
    switch (choice) {
      case core_choice::first_fit:
      case core_choice::next_fit: return false;
      case core_choice::best_fit: return loads_[best] < loads_[p];
      case core_choice::worst_fit: return loads_[p] < loads_[best];
    }
    return false;
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
template <class Number, std::size_t MaxTasks, AdmissionTest<Number, MaxTasks> Test>
[[nodiscard]] constexpr auto place_on_cores(const accelerator_table<Number, MaxTasks>& table, std::int32_t cores,
                                            core_choice choice, placement_order order, const Test& test)
    -> core_placement<MaxTasks> {
  core_placement<MaxTasks> out;
  out.error = attribute_fault(table);
  if (!out.error && (cores < 1 || cores > max_placement_cores)) {
    out.error = {.fault = model_fault::platform_size_out_of_range};
  }
  if (!is_known(choice) || !is_known(order)) { out.error = {.fault = model_fault::choice_out_of_range}; }
  if (out.error) {
    out.status = placement_status::invalid;
    return out;
  }
  return detail::core_packer<Number, MaxTasks>{table, cores}.run(choice, order, test);
}

/// The table with the chosen cores. Pre: the placement is of this table.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto pinned(accelerator_table<Number, MaxTasks> table,
                                    const core_placement<MaxTasks>& placement) -> accelerator_table<Number, MaxTasks> {
  for (std::size_t i = 0; i < table.size(); ++i) { table.tasks[i].core = placement.cores[i]; }
  return table;
}

}  // namespace takt
