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
#include <takt/simulation/hardware_fifo.hpp>
#include <takt/systems/locked_gpus/simulation/copy_contention.hpp>

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

[[nodiscard]] auto predictor(const field& input) -> answer {
  constexpr std::size_t most_tasks = 64;
  constexpr std::size_t most_distances = 16;
  using predictor_type = takt::gpu_cost_predictor<most_tasks, most_distances, 64>;
  takt::cost_predictor_settings settings;
  settings.window = input.value("window", settings.window);
  settings.warm_up = input.value("warm", settings.warm_up);
  settings.sigmas = input.value("sigmas", settings.sigmas);
  settings.restart_after = input.optional<std::int32_t>("flip").value_or(settings.restart_after);
  const auto p = std::make_unique<predictor_type>(settings);
  if (!p->valid()) { throw std::out_of_range("settings refused"); }
  numbering tasks;
  json out = json::array();
  for (const field op : input.at("ops")) {
    const bool observed = op.at(0).word<bool>({{"obs", true}, {"pred", false}});
    const std::size_t task = tasks.of(op.at(1).key());
    op.at(1).must_fit(task < most_tasks, most_tasks);
    const auto distance = op.at(2).get<std::size_t>();
    op.at(2).must_fit(distance < most_distances, most_distances);
    if (observed) {
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

[[nodiscard]] auto map_of(const field& state) -> takt::token_map {
  const takt::token_map out{
      .gpus = state.at("g").get<std::int32_t>(),
      .tokens_per_gpu = state.at("rho").get<std::int32_t>(),
      .layout = state.word("layout", takt::token_layout::block,
                           {{"block", takt::token_layout::block}, {"interleave", takt::token_layout::interleaved}})};
  if (!out.valid()) { state.refuse("has no tokens"); }
  return out;
}

/// That a list has an element for each of so many things.
void check_size(const field& list, std::int32_t wanted) {
  if (list.size() != static_cast<std::size_t>(wanted)) {
    list.refuse("does not have " + std::to_string(wanted) + " elements");
  }
}

[[nodiscard]] auto or_null(std::int32_t index) -> json { return index < 0 ? json{} : json(index); }

[[nodiscard]] auto h1h2(const field& input) -> answer {
  const field state = input.at("state");
  const takt::token_map tokens = map_of(state);
  check_size(state.at("fqs"), tokens.tokens());
  check_size(state.at("pred"), tokens.tokens());
  check_size(state.at("users"), tokens.gpus);
  std::vector<takt::queue_load> queues;
  for (const field fq : state.at("fqs")) {
    std::vector<takt::rational> predictions;
    for (const field request : fq) { predictions.emplace_back(request.at("Lprd").get<std::int64_t>()); }
    queues.push_back(takt::load_of(predictions));
  }
  std::vector<takt::rational> own;
  for (const field value : state.at("pred")) { own.emplace_back(value.get<std::int64_t>()); }
  const std::int32_t limit = state.optional<std::int32_t>("f").value_or(takt::unlimited_queue);
  const auto users = state.at("users").get<std::vector<std::int32_t>>();
  const takt::replica_id fq = state.at("first").get<bool>()
                                  ? takt::detail::least_used_queue(queues, own, limit, tokens, users)
                                  : takt::detail::quickest_queue(queues, own, limit);
  return {{{"fq", or_null(fq)}}, {}};
}

[[nodiscard]] auto h3(const field& input) -> answer {
  const field state = input.at("state");
  const takt::token_map tokens = map_of(state);
  std::vector<takt::possible_donee> eligible;
  for (const field e : state.at("elig")) {
    const auto token = e.at("x").get<std::int32_t>();
    if (token < 0 || token >= tokens.tokens()) { e.at("x").refuse("is no token"); }
    eligible.push_back({e.at("id").get<std::int32_t>(), token, takt::rational{e.at("done").get<std::int64_t>()}});
  }
  check_size(state.at("dist"), tokens.gpus);
  const auto all = state.at("dist").get<std::vector<std::vector<std::int32_t>>>();
  std::vector<std::int32_t> distances;
  if (const auto gpu = state.optional<std::size_t>("perf")) {
    if (*gpu >= all.size()) { state.at("perf").refuse("is no GPU"); }
    check_size(state.at("dist").at(*gpu), tokens.gpus);
    distances = all[*gpu];
  }
  return {{{"donee", or_null(takt::detail::nearest_donee(eligible, distances, tokens))}}, {}};
}

[[nodiscard]] auto h4(const field& input) -> answer {
  const field state = input.at("state");
  const auto idle = state.at("x").get<std::size_t>();
  if (idle >= state.at("fqs").size()) { state.at("x").refuse("is no queue"); }
  std::vector<std::vector<takt::queued_request>> queues;
  for (std::size_t x = 0; x < state.at("fqs").size(); ++x) {
    const field given = state.at("fqs").at(x);
    if (x == idle) {
      given.set_aside();  // requests come from the other queues
      continue;
    }
    auto& queue = queues.emplace_back();
    for (const field r : given) {
      auto own = r.at("Lown").get<std::int64_t>();
      if (queue.empty()) { own = r.value("rem", own); }  // a holder has run for a while
      queue.push_back(
          {r.at("id").get<std::int32_t>(), takt::rational{own}, takt::rational{r.at("Lx").get<std::int64_t>()}});
    }
  }
  const std::vector<std::span<const takt::queued_request>> views(queues.begin(), queues.end());
  return {{{"benefit", or_null(takt::detail::most_helped_request(views))},
           {"printed", or_null(takt::detail::most_helped_request(views, takt::steal_objective::shorter_there))}},
          {}};
}

[[nodiscard]] auto hw_fifo(const field& input) -> answer {
  numbering streams;
  numbering engines;
  std::vector<takt::simulation::timed_operation> operations;
  for (const field op : input.at("ops")) {
    operations.push_back({static_cast<std::int32_t>(streams.of(op.at("stream").key())),
                          static_cast<std::int32_t>(engines.of(op.at("engine").key())),
                          op.at("len").get<takt::ticks>()});
  }
  const auto mode = input.at("mode").word<takt::simulation::issue_mode>(
      {{"stall", takt::simulation::issue_mode::at_once}, {"sync", takt::simulation::issue_mode::one_per_stream}});
  const auto times = takt::simulation::simulate_hardware_fifo(operations, mode);
  if (!times) { throw std::out_of_range("operations refused"); }
  json start = json::object();
  json finish = json::object();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto id = input.at("ops").at(i).at("id").key();
    start[id] = (*times)[i].start;
    finish[id] = (*times)[i].end;
  }
  return {{{"start", start}, {"finish", finish}}, {}};
}

[[nodiscard]] auto chunks(const field& input) -> answer {
  const takt::copy_chunks split{input.at("size").get<std::int64_t>(), input.at("chunk").get<std::int64_t>()};
  if (!split.valid()) { throw std::invalid_argument("chunks refused"); }
  json sizes = json::array();
  for (std::int64_t i = 0; i < split.count(); ++i) { sizes.push_back(split.size(i)); }
  return {{{"chunks", sizes}}, {}};
}

[[nodiscard]] auto copy(const field& input) -> answer {
  std::vector<takt::simulation::chunked_copy> copies;
  for (const field task : input.at("tasks")) {
    copies.push_back({task.at("start").get<takt::ticks>(),
                      {task.at("prio").get<std::int64_t>(), 0},
                      task.at("chunks").get<std::vector<takt::ticks>>()});
  }
  const auto order = input.at("order").word<takt::service_order>(
      {{"fifo", takt::service_order::first_come}, {"prio", takt::service_order::priority}});
  const auto result = takt::simulation::simulate_copy_contention(copies, order, input.at("fusion").get<bool>());
  if (!result) { throw std::invalid_argument("copies refused"); }
  json out = json::object();
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto& c = result->copies[i];
    out[input.at("tasks").at(i).at("id").key()] = {c.completion, c.acquisitions, c.behind_lower};
  }
  return {out, {}};
}

/// Adds the hubs above the GPUs first.
class topology_reader {
 public:
  explicit topology_reader(const field& tree) {
    for (const auto& [node, parent] : tree.members()) {
      parents_[node] = parent.text();
      inner_[parent.text()] = takt::detail::refused_node;
    }
  }

  [[nodiscard]] auto gpu(const std::string& name) -> std::int32_t {
    return accepted(topology_.add_gpu(hub_above(name), 2));
  }
  [[nodiscard]] auto topology() const -> const takt::gpu_topology<64, 64>& { return topology_; }

 private:
  [[nodiscard]] auto hub_above(const std::string& name) -> std::int32_t {
    return parents_.contains(name) ? hub(parents_.at(name)) : takt::no_hub;
  }
  [[nodiscard]] auto hub(const std::string& name) -> std::int32_t {
    std::int32_t& known = inner_.at(name);
    if (known == takt::detail::refused_node) { known = accepted(topology_.add_hub(hub_above(name))); }
    return known;
  }
  [[nodiscard]] static auto accepted(std::int32_t node) -> std::int32_t {
    if (node == takt::detail::refused_node) { throw std::invalid_argument("node refused"); }
    return node;
  }

  std::map<std::string, std::string> parents_;
  std::map<std::string, std::int32_t> inner_;
  takt::gpu_topology<64, 64> topology_;
};

[[nodiscard]] auto distance(const field& input) -> answer {
  topology_reader reader{input.at("tree")};
  const std::string& first = input.at("a").text();
  const std::string& second = input.at("b").text();
  const std::int32_t a = reader.gpu(first);
  const std::int32_t b = first == second ? a : reader.gpu(second);
  return {{{"d", or_null(reader.topology().distance(a, b))}}, {}};
}

[[nodiscard]] auto bwi(const field& input) -> answer {
  std::vector<takt::job_budget> jobs;
  std::vector<std::int32_t> ids;
  input.set_aside("holder");  // only names who runs
  for (const auto& [id, job] : input.at("jobs").members()) {
    ids.push_back(std::stoi(id));
    const auto deadline = job.at("D").get<takt::ticks>();
    jobs.push_back({.refill = job.at("e").get<takt::ticks>(),
                    .period = job.at("p").get<takt::ticks>(),
                    .left = job.at("left").get<takt::ticks>(),
                    .deadline = deadline,
                    .priority = {deadline, ids.back()}});
  }
  json charges = json::array();
  const bool paid = takt::charge_lenders(
      jobs, input.at("need").get<takt::ticks>(),
      [&](std::size_t i, takt::ticks amount) { charges.push_back({ids[i], amount}); },
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
