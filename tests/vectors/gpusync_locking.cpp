// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <takt/rules/locking/as_published.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_graph.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/simulation/locking/simulate_locks.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace simulation = takt::simulation;

constexpr std::size_t most_tasks = 64;
constexpr std::size_t most_replicas = 16;

using short_queues = takt::k_fmlp<most_replicas, most_tasks>;
/// As in the vectors, without the last of the repairs in docs/errata.md.
using donating_queues = takt::as_published::r2dglp<takt::as_published::r2dglp_donees_rise, most_replicas, most_tasks>;
using one_queue = takt::ck_omlp<most_replicas, most_tasks>;
using bank = simulation::lock_bank<takt::fifo_mutex<most_tasks>, takt::priority_mutex<most_tasks>, short_queues,
                                   donating_queues, one_queue>;

[[nodiscard]] auto progress_of(const json& resource) -> takt::progress_kind {
  static const std::map<std::string, takt::progress_kind> kinds{
      {"none", takt::progress_kind::none},
      {"inherit", takt::progress_kind::inheritance},
      {"boost", takt::progress_kind::boost_when_contended},
      {"boost-grant", takt::progress_kind::boost_when_granted}};
  return kinds.at(resource.value("progress", std::string{"inherit"}));
}

/// A name without the number at its end, and that number.
[[nodiscard]] auto split(const std::string& name) -> std::pair<std::string, long> {
  const auto digits = name.find_last_not_of("0123456789") + 1;
  return {name.substr(0, digits), digits < name.size() ? std::stol(name.substr(digits)) : -1};
}

class lock_case {
 public:
  explicit lock_case(const json& config)
      : config_{config}, cluster_{config.at("c").get<std::int32_t>()}, gate_{!config.value("no_gate", false)} {
    add_resources();
    add_jobs();
  }

  [[nodiscard]] auto run() -> json {
    const simulation::lock_simulation_options options{.processors = cluster_,
                                                      .clusters = config_.value("clusters", 1),
                                                      .donation_at_release = donates_,
                                                      .ordered = false};
    const auto result =
        gate_ ? simulation::simulate_locks(workload_, bank_, options)
              : simulation::simulate_locks<takt::as_published::donation_without_gate>(workload_, bank_, options);
    if (result.error) { throw std::runtime_error(std::string{name_of(result.error.fault)}); }
    return to_json(result);
  }

 private:
  void add_resources() {
    for (const auto& [name, options] : config_.at("resources").items()) { names_.push_back(name); }
    std::ranges::sort(names_, {}, split);  // engines of one kind side by side
    for (const std::string& name : names_) { numbers_[name] = add_resource(config_.at("resources").at(name)); }
  }
  [[nodiscard]] auto add_resource(const json& r) -> simulation::resource_id {
    if (r.value("variant", std::string{"repaired"}) != "repaired") { throw std::runtime_error("unknown variant"); }
    const auto protocol = r.at("proto").get<std::string>();
    const auto k = r.value("k", 1);
    if (k < 1 || k > static_cast<std::int32_t>(most_replicas)) { throw std::runtime_error("too many replicas"); }
    simulation::resource_options options{.progress = progress_of(r)};
    if (r.contains("rho")) {
      options.is_token_pool = true;
      options.tokens = {.gpus = r.at("g").get<std::int32_t>(), .tokens_per_gpu = r.at("rho").get<std::int32_t>()};
    }
    const takt::k_fmlp_options queues{
        .replicas = k,
        .measure = r.value("aware", false) ? takt::queue_measure::declared_times : takt::queue_measure::requests};
    if (protocol == "mutex" && r.value("order", std::string{"fifo"}) == "prio") {
      return bank_.add(takt::priority_mutex<most_tasks>{}, options);
    }
    if (protocol == "mutex") { return bank_.add(takt::fifo_mutex<most_tasks>{}, options); }
    if (protocol == "kfmlp") { return bank_.add(short_queues{queues}, options); }
    if (protocol == "r2dglp") {
      const takt::r2dglp_options o{.replicas = k, .cluster = cluster_, .queue_limit = r.value("f", 0)};
      if (validate(o, most_replicas)) { throw std::runtime_error("the limit of the queues has no bound"); }
      return bank_.add(donating_queues{o}, options);
    }
    if (protocol != "ckomlp") { throw std::runtime_error("unknown protocol"); }
    donates_ = true;
    gate_ = gate_ && !r.value("no_gate", false);
    if (!r.value("fqs", false)) { return bank_.add(one_queue{k}, options); }
    if (options.progress == takt::progress_kind::inheritance) { options.progress = takt::progress_kind::none; }
    return bank_.add(short_queues{queues}, options);
  }

  void add_jobs() {
    std::vector<const json*> jobs;
    for (const auto& job : config_.at("jobs")) { jobs.push_back(&job); }
    std::ranges::sort(jobs, {}, [](const json* job) { return job->at("id").get<std::int64_t>(); });
    for (const json* job : jobs) {
      ids_.push_back(std::to_string(job->at("id").get<std::int64_t>()));
      workload_.task(job->value("cluster", 0));
      for (const auto& operation : job->at("ops")) { add(operation); }
      workload_.released(job->at("release").get<takt::ticks>(), {job->at("prio").get<std::int64_t>()});
    }
  }
  void add(const json& operation) {
    const auto what = operation.at(0).get<std::string>();
    const json& of = operation.at(1);
    if (what == "E") {
      workload_.execute(of.get<takt::ticks>());
    } else if (what == "S") {
      workload_.suspend(of.get<takt::ticks>());
    } else if (what == "L" || what == "DL") {
      workload_.lock(group(of));
    } else if (what == "U" || what == "DU") {
      workload_.unlock(group(of));
    } else {
      throw std::runtime_error("unknown operation " + what);
    }
  }
  [[nodiscard]] auto group(const json& of) const -> std::vector<simulation::operand> {
    if (!of.is_array()) { return {operand(of.get<std::string>())}; }
    std::vector<simulation::operand> list;
    for (const auto& name : of) { list.push_back(operand(name.get<std::string>())); }
    return list;
  }
  [[nodiscard]] auto operand(const std::string& name) const -> simulation::operand {
    if (!name.starts_with('@')) { return {numbers_.at(name)}; }
    return {numbers_.at(name.substr(1) + "0"), true};
  }

  [[nodiscard]] auto to_json(const simulation::lock_result& result) const -> json {
    const auto instant = [](takt::ticks t) { return t == takt::no_instant ? json{} : takt_vectors::to_json(t); };
    json finish = json::object();
    json pi = json::object();
    json requests = json::object();
    for (std::size_t j = 0; j < ids_.size(); ++j) {
      const auto& i = result.jobs[j].inversion;
      finish[ids_[j]] = instant(result.jobs[j].finish);
      pi[ids_[j]] = {{"wait", i.waiting}, {"donor", i.donating}, {"ready", i.ready}, {"aware", i.aware}};
      requests[ids_[j]] = json::array();
    }
    for (const auto& r : result.requests) {
      requests[ids_[r.job]].push_back({names_[static_cast<std::size_t>(r.resource)], instant(r.issued),
                                       instant(r.satisfied), instant(r.released), r.blocked,
                                       r.replica == takt::no_replica ? json{} : json(r.replica)});
    }
    return {{"finish", finish}, {"pi", pi}, {"requests", requests}};
  }

  const json& config_;
  std::int32_t cluster_;
  bool gate_;
  bool donates_ = false;
  bank bank_;
  simulation::lock_workload workload_;
  std::vector<std::string> names_;
  std::vector<std::string> ids_;
  std::map<std::string, simulation::resource_id> numbers_;
};

[[nodiscard]] auto propagate(const json& input) -> answer {
  constexpr std::size_t most_nodes = 256;
  constexpr std::size_t most_edges = 1024;
  takt::priority_graph<most_nodes, most_edges> graph;
  std::map<std::string, takt::priority_node> numbers;
  for (const auto& [name, priority] : input.at("base").items()) {
    const auto node = static_cast<takt::priority_node>(numbers.size());
    if (node == graph.nodes()) { throw std::runtime_error("too many nodes"); }
    numbers[name] = node;
    if (!priority.is_null()) { graph.set_base(node, {priority.get<std::int64_t>()}); }
  }
  for (const auto& edge : input.at("edges")) {
    const auto from = numbers.at(edge.at(0).get<std::string>());
    const auto to = numbers.at(edge.at(1).get<std::string>());
    if (graph.add_edge(from, to).status != takt::edge_status::added) { throw std::runtime_error("edge refused"); }
  }
  json out = json::object();
  for (const auto& [name, node] : numbers) {
    const takt::priority_point& p = graph.effective(node);
    out[name] = p == takt::lowest_priority ? json{} : json(p.point);
  }
  return {out, std::nullopt};
}

}  // namespace

void add_gpusync_locking(suite& kinds) {
  kinds["lock_sim"] = [](const json& input) -> answer { return {lock_case{input.at("cfg")}.run(), std::nullopt}; };
  kinds["propagate"] = propagate;
}

}  // namespace takt_vectors
