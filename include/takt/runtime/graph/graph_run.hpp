// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/host/board_tracks.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/executor.hpp>
#include <takt/runtime/executor/lanes.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/graph/flat_graphs.hpp>
#include <takt/runtime/graph/graph_devices.hpp>
#include <takt/runtime/graph/graph_flow.hpp>
#include <takt/runtime/graph/graph_layout.hpp>
#include <takt/runtime/graph/graph_log.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/graph/graph_pools.hpp>
#include <takt/runtime/graph/graph_result.hpp>
#include <takt/runtime/machine_state.hpp>
#include <takt/runtime/rights.hpp>
#include <takt/runtime/run_end.hpp>

namespace takt::runtime::detail {

inline constexpr std::size_t most_graph_entries = std::size_t{1} << 20;

/// One run of laid out graphs.
template <class P>
class graph_run {
 public:
  graph_run(const P& board, const graph_layout& laid, const graph_run_options& options, const graph_code& code,
            const graph_devices& devices)
      : laid_{&laid}, options_{&options}, code_{&code}, tracks_{board}, pools_{board, devices} {}

  /// Places the graphs. Error: what a board cannot serve.
  template <std::size_t N, std::size_t V>
  [[nodiscard]] auto place(const P& board, const plan<N, V>& p) -> model_error {
    for (std::uint32_t g = 0; g < laid_->graphs.size(); ++g) {
      gpus_.push_back(pools_.of_gpu(g < p.shares.size() ? p.shares[g].gpu : 0));
    }
    pools_.call_blocks(*laid_, *code_, *options_, gpus_);
    fits_ = pools_.fit();
    const auto queues = [this](std::uint32_t pool) { return pools_[pool].device != nullptr && pools_[pool].gpu >= 0; };
    graph_flattener<P>{board, *laid_, p, queues, *flat_}.run();
    return flat_->error ? flat_->error : bind();
  }
  [[nodiscard]] auto findings() const -> machine_findings { return pools_.findings(); }
  /// Whether code and devices are of nodes and pools that there are, and no node has both.
  [[nodiscard]] auto fits() const noexcept -> bool { return fits_; }
  [[nodiscard]] auto can_be_served() -> bool {
    bool served = true;
    pools_.each_device([&](std::uint32_t pool, graph_device& d) {
      served = d.serves(pools_.to_serve(pool, options_->patience.count())) && served;
    });
    return served;
  }
  template <TraceRecorder Recorder>
  void run(Recorder& recorder, graph_run_result& result) {
    graph_log log{*laid_, *options_, std::is_same_v<Recorder, no_trace> ? 0 : entries()};
    graph_flow flow{*laid_, *flat_, *options_, log, parts_};
    const std::size_t threads =
        lanes_.lanes.size() + (code_->blocks().empty() ? 0 : static_cast<std::size_t>(options_->block_threads));
    if (threads > std::size_t{most_graph_threads} || !open_devices()) {
      return end(observation_status::no_threads, result);
    }
    const foreign_workers foreign{[this](std::size_t l, worker_reports to) -> std::unique_ptr<visit_worker> {
                                    graph_device* const device =
                                        pools_of_[l] == nowhere ? nullptr : pools_[pools_of_[l]].device;
                                    return device == nullptr ? nullptr : device->worker(numbers_[l], std::move(to));
                                  },
                                  [this] { return !pools_.failure().empty(); }};
    executor host{flat_->set, flat_->places, flow, lanes_, bound_, foreign, flat_->offsets, flat_->points};
    if (!host.complete()) { return end(observation_status::no_threads, result); }
    std::vector<run_thread> own;
    host.each_thread([&](std::uint32_t l, pthread_t handle) {
      const board_station& s = flat_->stations[lanes_.lanes[l].station];
      const bool is_cpu = s.pool != nowhere && pools_[s.pool].is_cpu;
      own.push_back({handle, usual_priority - 1, is_cpu ? s.unit : 0, is_cpu ? s.units : 0});
    });
    rights asked{std::move(own), result.notes};
    result.granted.pinned = ask(options_->pin_to_cores, "affinity", result, [&] { return asked.pin(); });
    result.granted.memory_locked = ask(options_->lock_memory, "memory", result, [&] { return asked.lock_memory(); });
    result.granted.real_time = ask(options_->real_time, "scheduling", result, [&] {
      return asked.be_real_time(usual_priority, "a dispatcher above all threads gives processors by the board's rule",
                                ": a dispatcher gives processors by the board's rule, but other work may delay threads",
                                [this](bool above) { return pools_.serve_at(above ? usual_priority - 1 : 0); });
    });
    if (result.granted.real_time) { host.raise(usual_priority - 1); }
    note_clock(result);
    note_devices(result);
    flow_ = &flow;
    const slice_sink sink{this, [](void* self, client who, std::int32_t unit, ticks from, ticks to) {
                            static_cast<graph_run*>(self)->keep(who, unit, from, to);
                          }};
    run_options how = *options_;
    how.stop = nullptr;  // what was invoked is delivered first
    how.stop_when_idle = options_->stop;
    const ticks start = later(now(), lead);
    flow.start_at(start);
    host.run(start, how, sink);
    asked.give_back();
    if (result.granted.real_time) { (void)pools_.serve_at(0); }
    host.close();
    pools_.each_device([](std::uint32_t /*pool*/, graph_device& d) { d.close(); });
    report(flow, log, host.end(), result);
    if (const auto v = host.silent()) { say_silent(*v, result); }
    end(result.ended, result);
    log.trace().replay(recorder);
    if (const std::uint64_t lost = log.trace().lost(); lost > 0) {
      result.notes.push_back("trace: " + std::to_string(lost) + " entries did not fit and are missing");
    }
  }

 private:
  /// Time for all threads to be there.
  static constexpr ticks lead = 20'000'000;

  /// Who is on what, and what must not be.
  [[nodiscard]] auto bind() -> model_error {
    const auto& jobs = flat_->jobs;
    codes_.resize(jobs.size());
    bound_.resize(jobs.size());
    parts_ = {std::vector<bool>(jobs.size()), std::vector<bool>(jobs.size()), std::vector<bool>(laid_->nodes.size())};
    lanes_.of_visit.assign(jobs.size(), no_lane);
    for (std::uint32_t t = 0; t < jobs.size(); ++t) {
      const laid_graph& g = laid_->graphs[jobs[t].graph];
      const std::uint32_t station = flat_->set.visits[t].station;
      const std::uint32_t pool = flat_->stations[station].pool;
      const bool is_call = pool == nowhere;
      if (const auto* const body = body_of(jobs[t])) {
        const std::uint32_t node = owner_of(jobs[t]);
        codes_[t] = [body, &g, graph = jobs[t].graph, node](std::uint64_t job) {
          (*body)(g.job(graph, node, static_cast<std::int64_t>(job)));
        };
        bound_[t].code = &codes_[t];
      }
      const bool on_device = !is_call && pools_[pool].device != nullptr && !is_junction(jobs[t]);
      const bool takes_time = !is_call && pools_[pool].is_cpu && flat_->set.visits[t].upper > 0;
      fits_ = fits_ && !(on_device && bound_[t].code != nullptr);
      parts_.coded[t] = bound_[t].code != nullptr || on_device;
      parts_.told[t] = parts_.coded[t] || takes_time;
      if (!is_call) {
        const std::uint32_t v = g.record.first_node + jobs[t].node;
        parts_.guarded[v] = !pools_[pool].is_cpu && (parts_.coded[t] || !laid_->nodes[v].is_free());
      }
      if (!parts_.told[t]) { continue; }
      if (!flat_->places.serves_bodies(station)) { return {.fault = model_fault::rule_serves_no_code, .pool = pool}; }
      lanes_.of_visit[t] = static_cast<std::uint32_t>(lanes_.lanes.size());
      lanes_.lanes.push_back({t, station, !is_call && !pools_[pool].is_cpu, false});
      pools_of_.push_back(on_device ? pool : nowhere);
      if (on_device) { bound_[t].limit = later(longest_on(pool), options_->patience.count()); }
    }
    pools_.each_device([this](std::uint32_t pool, const graph_device& d) { fits_ = fits_ && binds_there(pool, d); });
    return {};
  }
  [[nodiscard]] auto binds_there(std::uint32_t pool, const graph_device& d) const -> bool {
    return std::ranges::all_of(d.bound(), [&](const visit_position& at) {
      return std::ranges::any_of(laid_->nodes, [&](const laid_node& n) {
        const bool is_kernel = n.node.kind == node_kind::kernel && gpus_[n.node.graph] == pool;
        const bool is_copy = n.node.kind == node_kind::copy && pools_[pool].is_copy_engines;
        return n.node.owner == at.first && n.node.segment == at.second && (is_kernel || is_copy);
      });
    });
  }
  [[nodiscard]] auto is_junction(const node_instance& who) const -> bool {
    return laid_->nodes[laid_->graphs[who.graph].record.first_node + who.node].node.kind == node_kind::junction;
  }
  [[nodiscard]] auto owner_of(const node_instance& who) const -> std::uint32_t {
    const laid_graph& g = laid_->graphs[who.graph];
    if (who.node == g.input()) { return input_node; }
    return who.node == g.output() ? output_node : laid_->nodes[g.record.first_node + who.node].node.owner;
  }
  [[nodiscard]] auto body_of(const node_instance& who) const -> const graph_code::job_body* {
    const laid_graph& g = laid_->graphs[who.graph];
    if (who.node >= g.record.nodes) {
      const auto& calls = who.node == g.input() ? code_->inputs() : code_->outputs();
      const auto found = calls.find(who.graph);
      return found == calls.end() ? nullptr : &found->second;
    }
    const graph_node<ticks>& n = laid_->nodes[g.record.first_node + who.node].node;
    return n.kind == node_kind::junction ? nullptr : code_->body_of({n.owner, n.segment, n.part});
  }
  /// All jobs that can be in the queue of a pool, one after the other.
  [[nodiscard]] auto longest_on(std::uint32_t pool) const -> ticks {
    ticks sum = 0;
    for (const visit_record& v : flat_->set.visits) {
      if (flat_->stations[v.station].pool == pool) { sum = later(sum, v.upper); }
    }
    return sum;
  }

  [[nodiscard]] auto open_devices() -> bool {
    std::map<std::uint32_t, std::pair<pool_to_serve, std::vector<graph_job>>> all;
    pools_.each_device([&](std::uint32_t pool, graph_device& /*device*/) {
      all[pool].first = pools_.to_serve(pool, options_->patience.count());
    });
    for (std::size_t l = 0; l < lanes_.lanes.size(); ++l) {
      numbers_.push_back(0);
      if (pools_of_[l] == nowhere) { continue; }
      const node_instance& who = flat_->jobs[lanes_.lanes[l].task];
      const laid_graph& g = laid_->graphs[who.graph];
      const graph_node<ticks>& n = laid_->nodes[g.record.first_node + who.node].node;
      auto& [to, jobs] = all[pools_of_[l]];
      numbers_.back() = jobs.size();
      const bool has_sms = to.is_gpu;
      const sm_range range =
          has_sms ? sm_range{static_cast<std::int32_t>(to.gpu), 0, pools_[pools_of_[l]].slots.sms} : sm_range{};
      to.lanes.push_back({n.owner, n.segment, range});
      jobs.push_back(g.job(who.graph, n.owner, 0));
    }
    bool open = pools_.failure().empty();
    for (auto& [pool, what] : all) {
      pools_[pool].device->is_for(std::move(what.second));
      open = open && pools_[pool].device->open(what.first);
    }
    return open;
  }
  void end(observation_status how, graph_run_result& result) const {
    result.ended = how;
    const std::string why = pools_.failure();
    if (why.empty()) { return; }
    result.ended = observation_status::device_failed;
    result.device_fault = why;
    result.notes.push_back("device: failed: " + why);
  }
  void say_silent(std::uint32_t task, graph_run_result& result) const {
    result.ended = observation_status::device_silent;
    result.device_fault = "no answer " + std::to_string(bound_[task].limit) + "ns after a job of " +
                          std::string{flat_->set.tasks[task].name} + " was handed to it";
    result.notes.push_back("device: silent: " + result.device_fault);
  }
  void note_devices(graph_run_result& result) const {
    pools_.each_device([&](std::uint32_t pool, const graph_device& d) {
      result.notes.push_back("device: pool " + std::to_string(pool) + " on " + d.name());
    });
    bool any = false;
    for (std::uint32_t t = 0; t < flat_->jobs.size(); ++t) {
      any = any || (!parts_.told[t] && flat_->set.visits[t].upper > 0);
    }
    if (any) {
      result.notes.emplace_back("device: emulated: copies and kernels without code take their time on the clock");
    }
  }
  /// Of a trace: all blocks of all jobs.
  [[nodiscard]] auto entries() const -> std::size_t {
    std::int64_t sum = 64;
    for (const laid_node& n : laid_->nodes) {
      const std::int64_t jobs = invocations_of(*options_, laid_->graphs[n.node.graph].record.period);
      const std::int64_t each = 2 + std::min<std::int64_t>(n.node.blocks, std::int64_t{1} << 20);
      if (jobs > static_cast<std::int64_t>(most_graph_entries) / each) { return most_graph_entries; }
      sum += jobs * each;
    }
    return std::min(most_graph_entries, static_cast<std::size_t>(sum));
  }
  void keep(client who, std::int32_t unit, ticks from, ticks to) {
    const board_station& s = flat_->stations[flat_->set.visits[who].station];
    if (s.pool == nowhere) { return; }
    const graph_pool& p = pools_[s.pool];
    track where = tracks_.of(s, unit);
    if (p.gpu >= 0 && p.device != nullptr && !p.device->tells_blocks()) {
      where = {stage::kernel, p.gpu, 0, p.slots.sms};
    }
    flow_->worked(who, where, from, to);
  }
  void report(const graph_flow& flow, graph_log& log, ticks reached, graph_run_result& result) const {
    log.report(result);
    result.end = reached;
    for (std::uint32_t g = 0; g < laid_->graphs.size(); ++g) {
      result.stopped = result.stopped || flow.has_more(g);
      result.tasks[g].unfinished = result.tasks[g].released - result.tasks[g].completed - result.tasks[g].skipped;
    }
  }

  const graph_layout* laid_;
  const graph_run_options* options_;
  const graph_code* code_;
  host::board_tracks<P::pool_count> tracks_;
  graph_pools pools_;
  std::vector<std::uint32_t> gpus_;  ///< pool of the kernels of each graph
  std::unique_ptr<flat_graphs> flat_ = std::make_unique<flat_graphs>();
  std::vector<processor_code> codes_;  ///< by task, as what follows
  std::vector<bound_code> bound_;
  flow_parts parts_;
  lane_plan lanes_;
  std::vector<std::uint32_t> pools_of_;  ///< by lane: that of its device
  std::vector<std::size_t> numbers_;     ///< by lane: there
  graph_flow* flow_ = nullptr;
  bool fits_ = true;
};

}  // namespace takt::runtime::detail
