// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <takt/host/lock_bank.hpp>
#include <takt/host/lock_log.hpp>
#include <takt/rules/locking/as_published.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_graph.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>

#include "../support/lock_programs.hpp"
#include "suite.hpp"

namespace takt_vectors {
namespace {

namespace simulation = takt::simulation;

constexpr std::size_t most_tasks = 32;
constexpr std::size_t most_replicas = 32;

using short_queues = takt::k_fmlp<most_replicas, most_tasks>;
/// As in the vectors, without the last of the repairs in docs/errata.md.
using donating_queues = takt::as_published::r2dglp<takt::as_published::r2dglp_donees_rise, most_replicas, most_tasks>;
using one_queue = takt::ck_omlp<most_replicas, most_tasks>;
using bank = takt::host::lock_bank<takt::fifo_mutex<most_tasks>, takt::priority_mutex<most_tasks>, short_queues,
                                   donating_queues, one_queue>;

[[nodiscard]] auto progress_of(const field& resource) -> takt::any_progress {
  return resource.word<takt::any_progress>("progress", takt::priority_inheritance{},
                                           {{"none", takt::no_progress{}},
                                            {"inherit", takt::priority_inheritance{}},
                                            {"boost", takt::boost_when_contended{}},
                                            {"boost-grant", takt::boost_when_granted{}}});
}

enum class lock_protocol : std::uint8_t { mutex, k_fmlp, r2dglp, ck_omlp };

/// A name without the number at its end, and that number.
[[nodiscard]] auto split(const std::string& name) -> std::pair<std::string, long> {
  const auto digits = name.find_last_not_of("0123456789") + 1;
  return {name.substr(0, digits), digits < name.size() ? std::stol(name.substr(digits)) : -1};
}

class lock_case {
 public:
  explicit lock_case(const field& config)
      : config_{config}, cluster_{config.at("c").get<std::int32_t>()}, gate_{!config.value("no_gate", false)} {
    add_resources();
    add_jobs();
  }

  [[nodiscard]] auto run() -> json {
    using without_gate = takt::as_published::donation_without_gate;
    const takt_tests::lock_options options{
        .processors = cluster_, .clusters = config_.value("clusters", 1), .donation_at_release = donates_};
    return to_json(gate_ ? takt_tests::simulate_locks<takt::donation_rules, most_tasks>(programs_, bank_, options)
                         : takt_tests::simulate_locks<without_gate, most_tasks>(programs_, bank_, options));
  }

 private:
  void add_resources() {
    for (const auto& [name, options] : config_.at("resources").members()) { names_.push_back(name); }
    std::ranges::sort(names_, {}, split);  // engines of one kind side by side
    for (const std::string& name : names_) { numbers_[name] = add_resource(config_.at("resources").at(name)); }
  }
  [[nodiscard]] auto add_resource(const field& r) -> takt::host::resource_id {
    static_cast<void>(r.word("variant", true, {{"repaired", true}}));
    const auto protocol = r.at("proto").word<lock_protocol>({{"mutex", lock_protocol::mutex},
                                                             {"kfmlp", lock_protocol::k_fmlp},
                                                             {"r2dglp", lock_protocol::r2dglp},
                                                             {"ckomlp", lock_protocol::ck_omlp}});
    const auto k = r.value("k", 1);
    if (k < 1) { r.at("k").refuse("is no number of replicas"); }
    r.must_fit(k <= static_cast<std::int32_t>(most_replicas), most_replicas);
    takt::host::resource_options options{.progress = progress_of(r)};
    if (r.contains("rho")) {
      const auto next = static_cast<takt::host::resource_id>(bank_.size());
      programs_.token_pool(next,
                           {.gpus = r.at("g").get<std::int32_t>(), .tokens_per_gpu = r.at("rho").get<std::int32_t>()});
    }
    const bool fqs = protocol == lock_protocol::ck_omlp && r.value("fqs", false);
    const bool aware = r.value("aware", false);
    if (aware && protocol != lock_protocol::k_fmlp && !fqs) { r.at("aware").refuse("needs a choice among queues"); }
    const takt::k_fmlp_options queues{
        .replicas = k, .measure = aware ? takt::queue_measure::declared_times : takt::queue_measure::requests};
    switch (protocol) {
      case lock_protocol::mutex: return add_mutex(r, k, options);
      case lock_protocol::k_fmlp: return bank_.add(short_queues{queues}, options);
      case lock_protocol::r2dglp: return bank_.add(donating_queues{donation_in(r, k)}, options);
      case lock_protocol::ck_omlp: break;
    }
    donates_ = true;
    gate_ = gate_ && !r.value("no_gate", false);
    if (!fqs) { return bank_.add(one_queue{k}, options); }
    if (options.progress == takt::priority_inheritance{}) { options.progress = takt::no_progress{}; }
    return bank_.add(short_queues{queues}, options);
  }
  [[nodiscard]] auto add_mutex(const field& r, std::int32_t replicas, const takt::host::resource_options& options)
      -> takt::host::resource_id {
    if (replicas != 1) { r.at("k").refuse("is more than a mutex has"); }
    const bool by_priority = r.word("order", false, {{"fifo", false}, {"prio", true}});
    return by_priority ? bank_.add(takt::priority_mutex<most_tasks>{}, options)
                       : bank_.add(takt::fifo_mutex<most_tasks>{}, options);
  }
  [[nodiscard]] auto donation_in(const field& r, std::int32_t replicas) const -> takt::r2dglp_options {
    const auto limit = r.optional<std::int32_t>("f");
    if (limit && *limit < 1) { r.at("f").refuse("is no limit of queues"); }
    const takt::r2dglp_options out{.replicas = replicas, .cluster = cluster_, .queue_limit = limit.value_or(0)};
    if (validate(out, most_replicas)) { throw std::runtime_error("the limit of the queues has no bound"); }
    return out;
  }

  void add_jobs() {
    const field given = config_.at("jobs");
    given.must_fit(given.size() <= most_tasks, most_tasks);
    std::map<std::int64_t, field> jobs;
    for (const field job : given) {
      const field id = job.at("id");
      if (!jobs.emplace(id.get<std::int64_t>(), job).second) { id.refuse("is the id of two jobs"); }
    }
    for (const auto& [id, job] : jobs) {
      ids_.push_back(std::to_string(id));
      programs_.task(job.value("cluster", 0));
      for (const field operation : job.at("ops")) { add(operation); }
      programs_.released(job.at("release").get<takt::ticks>(), {job.at("prio").get<std::int64_t>()});
    }
  }
  void add(const field& operation) {
    enum class what : std::uint8_t { execute, suspend, lock, unlock };
    const field of = operation.at(1);
    switch (operation.at(0).word<what>({{"E", what::execute},
                                        {"S", what::suspend},
                                        {"L", what::lock},
                                        {"DL", what::lock},
                                        {"U", what::unlock},
                                        {"DU", what::unlock}})) {
      case what::execute: programs_.execute(of.get<takt::ticks>()); break;
      case what::suspend: programs_.suspend(of.get<takt::ticks>()); break;
      case what::lock: programs_.lock(group(of)); break;
      case what::unlock: programs_.unlock(group(of)); break;
    }
  }
  [[nodiscard]] auto group(const field& of) const -> std::vector<takt_tests::operand> {
    if (!of.is_list()) { return {operand(of)}; }
    std::vector<takt_tests::operand> list;
    for (const field name : of) { list.push_back(operand(name)); }
    return list;
  }
  [[nodiscard]] auto operand(const field& of) const -> takt_tests::operand {
    const bool of_token = of.text().starts_with('@');
    const auto found = numbers_.find(of_token ? of.text().substr(1) + "0" : of.text());
    if (found == numbers_.end()) { of.refuse("is no resource"); }
    return of_token ? takt_tests::operand{found->second, true} : takt_tests::operand{found->second};
  }

  [[nodiscard]] auto to_json(const takt::host::lock_result& result) const -> json {
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

  field config_;
  std::int32_t cluster_;
  bool gate_;
  bool donates_ = false;
  bank bank_;
  takt_tests::lock_programs programs_;
  std::vector<std::string> names_;
  std::vector<std::string> ids_;
  std::map<std::string, takt::host::resource_id> numbers_;
};

[[nodiscard]] auto propagate(const field& input) -> answer {
  constexpr std::size_t most_nodes = 256;
  constexpr std::size_t most_edges = 1024;
  takt::priority_graph<most_nodes, most_edges> graph;
  std::map<std::string, takt::priority_node> numbers;
  for (const auto& [name, priority] : input.at("base").members()) {
    const auto node = static_cast<takt::priority_node>(numbers.size());
    input.at("base").must_fit(node < graph.nodes(), most_nodes);
    numbers[name] = node;
    if (!priority.is_null()) { graph.set_base(node, {priority.get<std::int64_t>()}); }
  }
  const auto node_of = [&](const field& name) {
    if (!numbers.contains(name.text())) { name.refuse("is no node"); }
    return numbers.at(name.text());
  };
  for (const field edge : input.at("edges")) {
    const auto from = node_of(edge.at(0));
    const auto to = node_of(edge.at(1));
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
  kinds["lock_sim"] = [](const field& input) -> answer { return {lock_case{input.at("cfg")}.run(), std::nullopt}; };
  kinds["propagate"] = propagate;
}

}  // namespace takt_vectors
