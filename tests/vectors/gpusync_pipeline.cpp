// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <takt/analysis/methods/gel/compliant_vector.hpp>
#include <takt/systems/locked_gpus/analysis/pipeline.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace an = takt::analysis::gpusync;

constexpr std::size_t max_tasks = 128;
using task_list = takt::inline_vector<an::locking_task<exact>, max_tasks>;
using bounds = an::pipeline_bounds<exact, max_tasks>;

/// A time, 0 where it is absent.
[[nodiscard]] auto number_in(const field& object, const char* name) -> exact { return object.value(name, exact(0)); }

[[nodiscard]] auto tasks_in(const field& input) -> task_list {
  task_list out;
  for (const field t : input) {
    an::locking_task<exact> task{.wcet = number_in(t, "e"),
                                 .period = number_in(t, "p"),
                                 .deadline = number_in(t, "d"),
                                 .requests = t.value("eta", std::int64_t{0})};
    for (const field length : t.list_or_empty("L")) {
      task.longest_section = std::max(task.longest_section, length.get<exact>());
    }
    input.must_fit(out.try_push_back(task), max_tasks);
  }
  return out;
}

[[nodiscard]] auto overheads_in(const field& o) -> takt::gpusync_overheads<exact> {
  return {.schedule = number_in(o, "sch"),
          .context_switch = number_in(o, "cxs"),
          .cache_loss = number_in(o, "cpd"),
          .interrupt_cache_loss = number_in(o, "cid"),
          .tick = number_in(o, "tck"),
          .tick_quantum = number_in(o, "Q"),
          .release = number_in(o, "rel"),
          .event_latency = number_in(o, "ev"),
          .ipi = number_in(o, "ipi"),
          .system_call_in = number_in(o, "sci"),
          .system_call_out = number_in(o, "sco"),
          .lock = number_in(o, "lk"),
          .unlock = number_in(o, "ulk")};
}

[[nodiscard]] auto run(const field& input, const task_list& tasks) -> bounds {
  const auto m = input.at("m").get<std::int64_t>();
  const auto k = input.at("k").get<std::int64_t>();
  const auto o = overheads_in(input.at("overheads"));
  const auto where = input.value("shielded", false) ? an::interrupt_handling::shielded : an::interrupt_handling::shared;
  const std::string& protocol = input.at("protocol").text();
  if (protocol == "kfmlp") { return an::six_steps(tasks, an::k_fmlp_counted{k}, o, where); }
  if (protocol == "kfmlp_aware") { return an::six_steps(tasks, an::k_fmlp_measured{k}, o, where); }
  if (protocol == "r2dglp") { return an::six_steps(tasks, an::r2dglp_queued{m, k}, o, where); }
  if (protocol == "ckomlp") { return an::six_steps(tasks, an::ck_omlp_donating{m, k}, o, where); }
  input.at("protocol").refuse("is no protocol of the pipeline");
}

template <class Values, class Part>
[[nodiscard]] auto list(const Values& values, const Part& part) -> json {
  json out = json::array();
  for (const auto& v : values) { out.push_back(to_json(part(v))); }
  return out;
}

[[nodiscard]] auto pipeline(const field& input) -> answer {
  const task_list tasks = tasks_in(input.at("tasks"));
  const bounds found = run(input, tasks);
  if (found.status == an::inflation_status::overflow) { return {json{}, "overflow"}; }
  if (found.status != an::inflation_status::inflated) { return {json{{"feasible", false}}, {}}; }
  const auto same = [](const exact& x) { return x; };
  json out{{"feasible", true},
           {"cpre", to_json(found.interrupt_delay)},
           {"L1", list(found.sections, same)},
           {"b2", list(found.blocking, same)},
           {"e4", list(found.executed, same)},
           {"e5", list(found.tasks, [](const auto& t) { return t.wcet; })},
           {"p5", list(found.tasks, [](const auto& t) { return t.period; })},
           {"d5", list(found.tasks, [](const auto& t) { return t.deadline; })}};
  takt::task_rows<takt::gel_task<exact>, max_tasks> independent;
  for (const auto& t : found.tasks) {  // of which there are at most as many
    static_cast<void>(independent.add({.wcet = t.wcet, .period = t.period, .deadline = t.deadline}));
  }
  const auto m = input.at("m").get<std::int32_t>();
  const auto edf = takt::analysis::compliant_vector(independent, m, takt::gel_policy::earliest_deadline);
  const auto fair = takt::analysis::compliant_vector(independent, m, takt::gel_policy::fair_lateness);
  const auto lateness = [](const auto& row) { return row.lateness; };
  out["srt"] = edf.bounded();
  out["cva_edf"] = edf.bounded() ? list(edf.tasks, lateness) : json{};
  out["cva_fl"] = fair.bounded() ? list(fair.tasks, lateness) : json{};
  return {out, {}};
}

}  // namespace

void add_gpusync_pipeline(suite& kinds) { kinds["pipeline"] = pipeline; }

}  // namespace takt_vectors
