// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <takt/systems/shares/figures/synthetic_sets.hpp>

#include "generators.hpp"

namespace takt::program {

namespace {

using generation::synthetic_application;
using studies::settings;
using share_set = application_set<16>;

constexpr ticks microsecond = 1000;

/// The more urgent one goes first.
[[nodiscard]] auto make_file(const share_set& set, std::int32_t sms) -> std::unique_ptr<workload_file> {
  auto out = std::make_unique<workload_file>();
  // Bound: the first.
  out->board.gpus.unchecked_push_back({.sms = sms});
  out->gpus.emplace_back();
  out->rules.gpus.sharing = "shares";
  out->rules.gpus.rules = "robust";
  std::vector<slow_down> contention;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const share_task& t = set.tasks[i];
    add_task(*out, {.name = t.name, .period = t.period * microsecond, .deadline = t.deadline * microsecond});
    out->more.back().weight = t.priority;
    runtime_visit v = next_visit(*out, resource_kind::gpu);
    v.row = static_cast<std::uint32_t>(out->tasks.rows.size());
    v.known.add(visit_fact::wcet_by_share);
    std::array<ticks, wcet_row::shares> times{};
    for (std::size_t held = 0; held < times.size(); ++held) {
      times[held] = t.alone.at(share::bounded(static_cast<std::int32_t>(held) + 1)) * microsecond;
    }
    if (!out->tasks.rows.try_push_back(wcet_row::measured(times))) { require_drawn(model_fault::set_does_not_fit); }
    add_visit(*out, v);
    for (std::size_t k = 0; k < set.size(); ++k) {
      if (k != i && set.contention.ppm(i, k) > 0) {
        contention.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k), set.contention.ppm(i, k)});
      }
    }
  }
  out->contention = std::move(contention);
  return out;
}

[[nodiscard]] auto prepare_benchmarks(const settings& s) -> file_drawer {
  return [applications = s.number<std::size_t>("applications"), sms = s.number<std::int32_t>("sms"), seed = s.seed()](
             std::int64_t level, std::uint64_t number) {
    share_set set;
    require_drawn(generation::generate(
        {.applications = applications, .utilization_permille = static_cast<std::int32_t>(level)}, seed, number, set));
    return make_file(set, sms);
  };
}

[[nodiscard]] auto prepare_airborne(const settings& s) -> file_drawer {
  return [sms = s.number<std::int32_t>("sms")](std::int64_t /*level*/, std::uint64_t /*number*/) {
    share_set set;
    require_drawn(
        generation::synthetic_set(std::span<const synthetic_application>{generation::synthetic_airborne}, set));
    return make_file(set, sms);
  };
}

}  // namespace

auto share_generators() -> std::vector<file_generator> {
  return {
      {"applications",
       "programs on shares of one GPU: Yao et al. 2022, Table 3, with invented demands",
       {{"applications", "5", "of ten, each subset as likely", 1, 10}, {"sms", "20", "of the GPU", 1, 1024}},
       "utilization",
       "0.2..2.0/0.2",
       prepare_benchmarks},
      {"airborne",
       "five programs of an aircraft on shares of one GPU: Yao et al. 2022, Table 4, with invented demands",
       {{"sms", "20", "of the GPU", 1, 1024}},
       "",
       "",
       prepare_airborne},
  };
}

}  // namespace takt::program
