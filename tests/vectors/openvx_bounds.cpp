// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <takt/analysis/methods/block_queue/multi_resource.hpp>
#include <takt/analysis/methods/block_queue/per_task_streams.hpp>
#include <takt/analysis/methods/gel/devi_anderson.hpp>
#include <takt/analysis/methods/gel/overlapping.hpp>
#include <takt/analysis/methods/gel/restricted_parallelism.hpp>

#include "gel_numbers.hpp"
#include "openvx_system.hpp"
#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace an = takt::analysis;
using an::point_shift;
using takt::gel_policy;

constexpr std::size_t max_kernels = 128;
template <class Number>
using kernel_set = takt::task_rows<takt::block_kernel<Number>, max_kernels>;
using exact_responses = an::block_bounds<exact, max_kernels>;

[[nodiscard]] auto list_of(const exact_responses& bounds) -> json {
  if (!bounds.bounded()) { return {}; }
  json out = json::array();
  for (const auto& response : bounds.responses) { out.push_back(to_json(response)); }
  return out;
}

template <class Number>
[[nodiscard]] auto converted_kernels(const kernel_set<exact>& given, bool jitter) -> kernel_set<Number> {
  const auto number = [](const exact& value) {
    if constexpr (std::is_same_v<Number, exact>) {
      return value;
    } else {
      return converted<Number>(value);
    }
  };
  kernel_set<Number> out;
  for (const auto& k : given.tasks) {
    static_cast<void>(out.add({.length = number(k.length),
                               .period = number(k.period),
                               .blocks = k.blocks,
                               .threads = k.threads,
                               .jitter = number(jitter ? k.jitter : exact(0))}));
  }
  return out;
}

/// The bound on exact numbers; fractions must be equal where they fit, ticks rounded up, and a little above where no
/// fraction fits.
template <class Test>
[[nodiscard]] auto checked_kernels(const kernel_set<exact>& given, const Test& test, answer& out, bool jitter = true)
    -> exact_responses {
  const exact_responses wanted = test(converted_kernels<exact>(given, jitter));
  const auto fractions = test(converted_kernels<takt::rational>(given, jitter));
  const bool fit = fractions.status != an::block_status::overflow;
  if (fit && fractions.status != wanted.status) { out.complaint = "fractions disagree on the status"; }
  for (std::size_t i = 0; fit && i < fractions.responses.size(); ++i) {
    const auto& r = fractions.responses[i];
    if (exact(r.numerator()) / r.denominator() != wanted.responses[i]) { out.complaint = "fractions disagree"; }
  }
  for (const auto& k : given.tasks) {
    if (!whole(k.length) || !whole(k.period) || !whole(k.jitter)) { return wanted; }
  }
  const auto ticks = test(converted_kernels<takt::ticks>(given, jitter));
  if (ticks.status != wanted.status) { out.complaint = "ticks disagree on the status"; }
  for (std::size_t i = 0; i < ticks.responses.size() && i < wanted.responses.size(); ++i) {
    const exact above = exact(ticks.responses[i]) - wanted.responses[i];
    if (above < 0 || above >= (fit ? 1 : 2)) { out.complaint = "ticks are not rounded up"; }
  }
  return wanted;
}

[[nodiscard]] auto gpu(const field& input) -> answer {
  takt::block_gpu device{.sms = input.at("g").get<std::int32_t>(), .threads_per_sm = input.at("m").get<std::int64_t>()};
  kernel_set<exact> set;
  answer out{json::object(), {}};
  json lengths = json::array();
  json loads = json::array();
  exact longest(0);
  exact load(0);
  const field tasks = input.at("tasks");
  for (const field t : tasks) {
    const auto threads = t.at("H").get<std::int64_t>();
    const takt::block_kernel<exact> k{.length = block_length_in(t, threads),
                                      .period = t.at("T").get<exact>(),
                                      .blocks = t.at("B").get<std::int64_t>(),
                                      .threads = threads,
                                      .jitter = t.value("J", exact(0))};
    tasks.must_fit(set.add(k), max_kernels);
    const exact own = takt::block_work(k).value * k.blocks / k.period;
    lengths.push_back(to_json(k.length));
    loads.push_back(to_json(own));
    load += own;
    longest = std::max(longest, k.length);
  }
  const auto capacity = an::thread_capacity(set, device);
  takt::thread_time<exact> carried;
  takt::thread_time<exact> backlog;
  if (!an::detail::carry_in_bound(set, device, carried) ||
      !an::backlog_bound(set, device, takt::per_job_streams, backlog)) {
    out.complaint = "a lemma does not fit";
  }
  out.value = {{"h", an::unit_block_size(set, device)},
               {"Hmax", an::detail::largest_block_size(set)},
               {"L", lengths},
               {"Lmax", to_json(longest)},
               {"u", loads},
               {"U", to_json(load)},
               {"capacity", capacity},
               {"capacity_fraction", to_json(exact(capacity) / (device.sms * device.threads_per_sm))},
               {"lemma1", to_json(carried.value)},
               {"lemma2", to_json(backlog.value)},
               {"bounded", an::capacity_test(set, device) == an::block_status::bounded}};
  const auto separated = checked_kernels(
      set, [&](const auto& s) { return an::separated_enqueue_response(s, device, takt::per_job_streams); }, out);
  const auto refined =
      checked_kernels(set, [&](const auto& s) { return an::knapsack_response(s, device, takt::per_job_streams); }, out);
  const auto outstanding = checked_kernels(
      set, [&](const auto& s) { return an::outstanding_response(s, device, takt::per_job_streams); }, out);
  const auto best = checked_kernels(
      set, [&](const auto& s) { return an::block_queue_response(s, device, takt::per_job_streams); }, out);
  out.value["thm3"] = list_of(separated);
  out.value["refined"] = list_of(refined);
  out.value["outstanding"] = list_of(outstanding);
  out.value["best"] = list_of(best);
  if (list_of(an::min_of(separated, refined, outstanding)) != list_of(best)) { out.complaint = "not the least bound"; }
  out.value["per_task_stream"] =
      list_of(checked_kernels(set, [&](const auto& s) { return an::per_task_stream_response(s, device); }, out, false));
  return out;
}

[[nodiscard]] auto cpu(const field& input) -> answer {
  const auto processors = input.at("M").get<std::int32_t>();
  const auto policy = input.at("sched").word<gel_policy>({{"GEDF", gel_policy::earliest_deadline},
                                                          {"GFL", gel_policy::fair_lateness},
                                                          {"FIFO", gel_policy::first_in_first_out},
                                                          {"GEL", gel_policy::given_points}});
  gel_set<exact> set;
  bool limited = true;
  exact load(0);
  json points = json::array();
  const field tasks = input.at("tasks");
  for (const field t : tasks) {
    takt::gel_task<exact> task{.wcet = t.at("C").get<exact>(),
                               .period = t.at("T").get<exact>(),
                               .parallelism = t.value("P", takt::unrestricted_parallelism)};
    task.deadline = task.period;
    if (policy == gel_policy::given_points) { task.point = t.at("Y").get<exact>(); }
    limited = limited && t.contains("P");
    load += task.wcet / task.period;
    points.push_back(to_json(takt::relative_point(policy, task, processors)));
    tasks.must_fit(set.add(task), max_gel_tasks);
  }
  answer out{json::object(), {}};
  const auto list = [&](const auto& test) -> json {
    const auto bounds = checked(set, test, out.complaint);
    if (!bounds.bounded()) { return {}; }
    json responses = json::array();
    for (const auto& row : bounds.tasks) { responses.push_back(to_json(row.response)); }
    return responses;
  };
  std::int64_t ceiling = 0;
  while (exact(ceiling) < load) { ++ceiling; }
  out.value["Y"] = points;
  out.value["U"] = to_json(load);
  out.value["Lambda"] = std::max<std::int64_t>(0, ceiling - 1);
  out.value["npc"] = list([&](const auto& s) { return an::overlapping_response(s, processors, policy); });
  out.value["npc_plain"] =
      list([&](const auto& s) { return an::overlapping_response(s, processors, policy, point_shift::if_negative); });
  out.value["npc_refined"] =
      list([&](const auto& s) { return an::overlapping_response_refined(s, processors, policy); });
  out.value["npc_nonpreemptive"] =
      list([&](const auto& s) { return an::non_preemptive_response(s, processors, policy); });
  out.value["sequential"] = list([&](const auto& s) { return an::detail::sequential_response(s, processors, policy); });
  out.value["sequential_plain"] = list(
      [&](const auto& s) { return an::detail::sequential_response(s, processors, policy, point_shift::if_negative); });
  if (policy == gel_policy::earliest_deadline) {
    out.value["devi_anderson"] = list([&](const auto& s) {
      return an::devi_anderson(s, processors, an::devi_form::mixed, an::devi_quotient::not_negative);
    });
  }
  if (limited) {
    out.value["rp_distance"] = list([&](const auto& s) { return an::distance_response(s, processors, policy); });
    out.value["rp_slots"] = list([&](const auto& s) { return an::detail::slot_response(s, processors, policy); });
  }
  return out;
}

}  // namespace

void add_openvx_bounds(suite& kinds) {
  kinds["gpu"] = gpu;
  kinds["cpu"] = cpu;
}

}  // namespace takt_vectors
