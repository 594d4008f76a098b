// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/systems/accelerators/analysis/as_published.hpp>
#include <takt/systems/accelerators/analysis/harmonic_edf.hpp>
#include <takt/systems/accelerators/analysis/slot_periodic_edf.hpp>
#include <takt/systems/accelerators/analysis/slot_simulated_edf.hpp>
#include <takt/systems/accelerators/analysis/two_slots.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Orders answers: the worse, the greater.
enum class slot_result : std::uint8_t {
  accepted,
  undecided,  ///< the test gave up
  rejected,
};

template <class Number>
[[nodiscard]] constexpr auto answer_of(const edf_verdict<Number>& v) noexcept -> slot_result {
  if (v.schedulable()) { return slot_result::accepted; }
  const bool known = v.status == verdict_status::not_proven && v.reason != edf_reason::too_many_chunks &&
                     v.reason != edf_reason::too_many_windows;
  return known ? slot_result::rejected : slot_result::undecided;
}
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto answer_of(const slot_run<Number, MaxTasks>& r) noexcept -> slot_result {
  if (r.schedulable()) { return slot_result::accepted; }
  return r.status == verdict_status::unschedulable ? slot_result::rejected : slot_result::undecided;
}

/// Describes a test of tasks that a slot serves by EDF.
template <std::size_t MaxTasks>
struct slot_test {
  std::string_view name;
  auto (*ask)(const task_rows<accelerator_task<ticks>, MaxTasks>& part, const slot_reservation<ticks>& slot)
      -> slot_result;
};

/// The tests of Zahaf and Lipari 2020, Fig. 6 to 8, corrected where the printed one is unsound; the answer of a run,
/// which is exact; and the abstraction as printed, which may accept what misses a deadline.
template <std::size_t MaxTasks>
inline constexpr std::array<slot_test<MaxTasks>, 8> slot_tests{{
    {"sbf", [](auto& t, auto& in) { return answer_of(slot_supply_edf<edf_report::verdict_only>(t, in)); }},
    {"sbf_linear", [](auto& t, auto& in) { return answer_of(slot_linear_edf<edf_report::verdict_only>(t, in)); }},
    {"our", [](auto& t, auto& in) { return answer_of(slot_abstraction_edf<edf_report::verdict_only>(t, in)); }},
    {"our_plus",
     [](auto& t, auto& in) { return answer_of(detail::slot_longest_chunk_edf<edf_report::verdict_only>(t, in)); }},
    {"l3prop", [](auto& t, auto& in) { return answer_of(slot_proportional_edf<edf_report::verdict_only>(t, in)); }},
    {"harm", [](auto& t, auto& in) { return answer_of(slot_harmonic_edf<edf_report::verdict_only>(t, in)); }},
    {"exact", [](auto& t, auto& in) { return answer_of(detail::slot_simulated_edf(t, in, run_extent::first_miss)); }},
    {"our_printed",
     [](auto& t, auto& in) { return answer_of(as_published::slot_abstraction_edf<edf_report::verdict_only>(t, in)); }},
}};
inline constexpr std::size_t exact_slot_test = 6;
inline constexpr std::size_t printed_slot_test = 7;

/// Returns what a test says of every core in the pinned slot and of the gang tasks in the other. It is rejected when
/// the test rejects a part, or when the slots or the tasks are not valid. Pre and errors as of `test_slots`.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto ask_slots(const slot_test<MaxTasks>& test,
                                       const task_rows<accelerator_task<ticks>, MaxTasks>& table,
                                       const accelerator_record& accelerator, const two_slots<ticks>& slots)
    -> slot_result {
  const auto seen = detail::test_slots(table, accelerator, slots, test.ask);
  slot_result out = seen.error ? slot_result::rejected : seen.gang;
  for (std::size_t p = 0; p < seen.cores.size(); ++p) { out = seen.cores[p] < out ? out : seen.cores[p]; }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
