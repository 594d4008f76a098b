// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <takt/model/copy_chunks.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/prediction/gpu_cost_predictor.hpp>
#include <takt/rules/budget.hpp>
#include <takt/rules/locking/affinity.hpp>
#include <takt/rules/locking/token_map.hpp>
#include <takt/simulation/copy_contention.hpp>
#include <takt/simulation/hardware_fifo.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

[[nodiscard]] auto fraction(const takt::rational& value) -> json {
  if (value.overflowed()) { throw std::overflow_error("a fraction left 64 bits"); }
  return to_json(exact(value.numerator(), value.denominator()));
}

/// Small numbers for names, in the order in which they are first asked for.
class numbering {
 public:
  [[nodiscard]] auto of(const std::string& name) -> std::size_t {
    return numbers_.try_emplace(name, numbers_.size()).first->second;
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

[[nodiscard]] auto key_of(const json& id) -> std::string {
  return id.is_string() ? id.get<std::string>() : std::to_string(id.get<std::int64_t>());
}

[[nodiscard]] auto predictor(const json& input) -> answer {
  using predictor_type = takt::gpu_cost_predictor<8, 8>;
  takt::cost_predictor_settings settings;
  settings.window = input.value("window", settings.window);
  settings.warm_up = input.value("warm", settings.warm_up);
  settings.sigmas = input.value("sigmas", settings.sigmas);
  if (input.contains("flip") && !input.at("flip").is_null()) { settings.restart_after = input.at("flip"); }
  const auto p = std::make_unique<predictor_type>(settings);
  numbering tasks;
  json out = json::array();
  for (const auto& op : input.at("ops")) {
    const std::size_t task = tasks.of(op.at(1));
    const auto distance = op.at(2).get<std::size_t>();
    if (op.at(0) == "obs") {
      const auto verdict = p->observe(task, distance, op.at(3).get<takt::ticks>());
      if (verdict == takt::sample_verdict::refused) { throw std::out_of_range("sample refused"); }
      out.push_back(verdict == takt::sample_verdict::accepted);
    } else {
      const bool capped = op.size() > 3 && !op.at(3).is_null();
      out.push_back(
          fraction(capped ? p->predict(task, distance, op.at(3).get<takt::ticks>()) : p->predict(task, distance)));
    }
  }
  return {{{"out", out}}, {}};
}

[[nodiscard]] auto map_of(const json& state) -> takt::token_map {
  const bool interleaved = state.value("layout", std::string{"block"}) == "interleave";
  return {.gpus = state.at("g"),
          .tokens_per_gpu = state.at("rho"),
          .layout = interleaved ? takt::token_layout::interleaved : takt::token_layout::block};
}

[[nodiscard]] auto or_null(std::int32_t index) -> json { return index < 0 ? json{} : json(index); }

[[nodiscard]] auto h1h2(const json& input) -> answer {
  const json& state = input.at("state");
  std::vector<takt::queue_load> queues;
  for (const auto& fq : state.at("fqs")) {
    std::vector<takt::rational> predictions;
    for (const auto& request : fq) { predictions.emplace_back(request.at("Lprd").get<std::int64_t>()); }
    queues.push_back(takt::load_of(predictions));
  }
  std::vector<takt::rational> own;
  for (const auto& value : state.at("pred")) { own.emplace_back(value.get<std::int64_t>()); }
  const std::int32_t limit = state.at("f").is_null() ? takt::unlimited_queue : state.at("f").get<std::int32_t>();
  const auto users = state.at("users").get<std::vector<std::int32_t>>();
  const takt::replica_id fq = state.at("first").get<bool>()
                                  ? takt::least_used_queue(queues, own, limit, map_of(state), users)
                                  : takt::quickest_queue(queues, own, limit);
  return {{{"fq", or_null(fq)}}, {}};
}

[[nodiscard]] auto h3(const json& input) -> answer {
  const json& state = input.at("state");
  std::vector<takt::possible_donee> eligible;
  for (const auto& e : state.at("elig")) {
    eligible.push_back({e.at("id"), e.at("x"), takt::rational{e.at("done").get<std::int64_t>()}});
  }
  std::vector<std::int32_t> distances;
  if (!state.at("perf").is_null()) { state.at("dist").at(state.at("perf").get<std::size_t>()).get_to(distances); }
  return {{{"donee", or_null(takt::nearest_donee(eligible, distances, map_of(state)))}}, {}};
}

[[nodiscard]] auto h4(const json& input) -> answer {
  const json& state = input.at("state");
  const auto idle = state.at("x").get<std::size_t>();
  std::vector<std::vector<takt::queued_request>> queues;
  for (std::size_t x = 0; x < state.at("fqs").size(); ++x) {
    if (x == idle) { continue; }
    auto& queue = queues.emplace_back();
    for (const auto& r : state.at("fqs").at(x)) {
      const json& own = queue.empty() && r.contains("rem") ? r.at("rem") : r.at("Lown");
      queue.push_back(
          {r.at("id"), takt::rational{own.get<std::int64_t>()}, takt::rational{r.at("Lx").get<std::int64_t>()}});
    }
  }
  const std::vector<std::span<const takt::queued_request>> views(queues.begin(), queues.end());
  return {{{"benefit", or_null(takt::most_helped_request(views))},
           {"printed", or_null(takt::most_helped_request(views, takt::steal_objective::shorter_there))}},
          {}};
}

[[nodiscard]] auto hw_fifo(const json& input) -> answer {
  numbering streams;
  numbering engines;
  std::vector<takt::simulation::timed_operation> operations;
  for (const auto& op : input.at("ops")) {
    operations.push_back({static_cast<std::int32_t>(streams.of(op.at("stream"))),
                          static_cast<std::int32_t>(engines.of(op.at("engine"))), op.at("len")});
  }
  const auto mode = input.at("mode") == "stall" ? takt::simulation::issue_mode::at_once
                                                : takt::simulation::issue_mode::one_per_stream;
  const auto times = takt::simulation::simulate_hardware_fifo(operations, mode);
  if (!times) { throw std::out_of_range("operations refused"); }
  json start = json::object();
  json finish = json::object();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto id = key_of(input.at("ops").at(i).at("id"));
    start[id] = (*times)[i].start;
    finish[id] = (*times)[i].end;
  }
  return {{{"start", start}, {"finish", finish}}, {}};
}

[[nodiscard]] auto chunks(const json& input) -> answer {
  const takt::copy_chunks split{input.at("size"), input.at("chunk")};
  if (!split.valid()) { throw std::invalid_argument("chunks refused"); }
  json sizes = json::array();
  for (std::int64_t i = 0; i < split.count(); ++i) { sizes.push_back(split.size(i)); }
  return {{{"chunks", sizes}}, {}};
}

[[nodiscard]] auto copy(const json& input) -> answer {
  std::vector<takt::simulation::chunked_copy> copies;
  for (const auto& task : input.at("tasks")) {
    copies.push_back({task.at("start"), {task.at("prio"), 0}, task.at("chunks")});
  }
  const auto order = input.at("order") == "fifo" ? takt::service_order::first_come : takt::service_order::priority;
  const auto result = takt::simulation::simulate_copy_contention(copies, order, input.at("fusion"));
  if (!result) { throw std::invalid_argument("copies refused"); }
  json out = json::object();
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto& c = result->copies[i];
    out[key_of(input.at("tasks").at(i).at("id"))] = {c.completion, c.acquisitions, c.behind_lower};
  }
  return {out, {}};
}

/// Adds the hubs above the GPUs first.
class topology_reader {
 public:
  explicit topology_reader(const json& tree) : tree_{tree} {
    for (const auto& [node, parent] : tree.items()) { inner_[parent.get<std::string>()] = takt::refused_node; }
  }

  [[nodiscard]] auto gpu(const std::string& name) -> std::int32_t {
    return accepted(topology_.add_gpu(hub_above(name), 2));
  }
  [[nodiscard]] auto topology() const -> const takt::gpu_topology<16, 16>& { return topology_; }

 private:
  [[nodiscard]] auto hub_above(const std::string& name) -> std::int32_t {
    return tree_.contains(name) ? hub(tree_.at(name)) : takt::no_hub;
  }
  [[nodiscard]] auto hub(const std::string& name) -> std::int32_t {
    std::int32_t& known = inner_.at(name);
    if (known == takt::refused_node) { known = accepted(topology_.add_hub(hub_above(name))); }
    return known;
  }
  [[nodiscard]] static auto accepted(std::int32_t node) -> std::int32_t {
    if (node == takt::refused_node) { throw std::invalid_argument("node refused"); }
    return node;
  }

  const json& tree_;
  std::map<std::string, std::int32_t> inner_;
  takt::gpu_topology<16, 16> topology_;
};

[[nodiscard]] auto distance(const json& input) -> answer {
  topology_reader reader{input.at("tree")};
  const std::int32_t a = reader.gpu(input.at("a"));
  const std::int32_t b = input.at("b") == input.at("a") ? a : reader.gpu(input.at("b"));
  return {{{"d", or_null(reader.topology().distance(a, b))}}, {}};
}

[[nodiscard]] auto bwi(const json& input) -> answer {
  std::vector<takt::job_budget> jobs;
  std::vector<std::int32_t> ids;
  for (const auto& [id, job] : input.at("jobs").items()) {
    ids.push_back(std::stoi(id));
    const auto deadline = job.at("D").get<takt::ticks>();
    jobs.push_back({.refill = job.at("e"),
                    .period = job.at("p"),
                    .left = job.at("left"),
                    .deadline = deadline,
                    .priority = {deadline, ids.back()}});
  }
  json charges = json::array();
  const bool paid = takt::charge_lenders(
      jobs, input.at("need"), [&](std::size_t i, takt::ticks amount) { charges.push_back({ids[i], amount}); },
      [](std::size_t, takt::budget_action) {});
  if (!paid) { throw std::invalid_argument("budgets refused"); }
  json state = json::object();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& j = jobs[i];
    state[std::to_string(ids[i])] = {{"D", j.deadline}, {"p", j.period}, {"e", j.refill}, {"left", j.left}};
  }
  return {{{"charges", charges}, {"state", state}}, {}};
}

}  // namespace

void add_gpusync_mechanisms(suite& kinds) {
  kinds.insert({{"predictor", predictor},
                {"h1h2", h1h2},
                {"h3", h3},
                {"h4", h4},
                {"hw_fifo", hw_fifo},
                {"chunks", chunks},
                {"copy", copy},
                {"distance", distance},
                {"bwi", bwi}});
}

}  // namespace takt_vectors
