// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace takt::fuzz {

/// Choices that bytes make, one after the other; 0 once there are no more.
class choices {
 public:
  explicit choices(std::span<const std::uint8_t> bytes) : bytes_{bytes} {}

  [[nodiscard]] auto below(std::uint32_t n) -> std::uint32_t {
    if (bytes_.empty()) { return 0; }
    const std::uint32_t out = bytes_.front() % n;
    bytes_ = bytes_.subspan(1);
    return out;
  }
  [[nodiscard]] auto between(std::int64_t least, std::uint32_t most) -> std::int64_t {
    return least + below(static_cast<std::uint32_t>(most - least + 1));
  }
  /// True for most bytes.
  [[nodiscard]] auto usually() -> bool { return below(8) != 7; }
  [[nodiscard]] auto seldom() -> bool { return below(8) == 7; }
  template <std::size_t N>
  [[nodiscard]] auto one_of(const std::array<std::string_view, N>& words) -> std::string {
    return std::string{words[below(N)]};
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// A small task-set file. Most of its times are a few nanoseconds, so that jobs meet often; some are at the edges of
/// what a number holds where the first byte says so.
class drawn_workload {
 public:
  using json = nlohmann::ordered_json;

  explicit drawn_workload(choices& from) : c_{from} {
    edges_ = c_.below(4) == 3;
    sharing_ = c_.one_of(sharings);
    globally_ = c_.below(3) == 2;
    kernels_only_ = only_kernels() && c_.usually();
  }

  [[nodiscard]] auto file() -> json {
    json out{{"format", "takt/1"}, {"platform", platform()}};
    const std::int64_t tasks = c_.between(1, 6);
    for (std::int64_t i = 0; i < tasks; ++i) { out["tasks"].push_back(task(i)); }
    return out;
  }

 private:
  static constexpr std::array<std::string_view, 14> sharings{
      "",       "isolated", "shared", "whole", "busy-waiting", "time-sliced", "fifo-blocks",
      "tokens", "levels",   "slots",  "gang",  "shares",       "tokens",      "single-stream"};

  [[nodiscard]] auto only_kernels() const -> bool {
    return sharing_ == "levels" || sharing_ == "slots" || sharing_ == "gang" || sharing_ == "shares" ||
           sharing_ == "single-stream";
  }

  [[nodiscard]] auto edge() -> json {
    constexpr std::array<std::int64_t, 10> values{0,
                                                  1,
                                                  -1,
                                                  std::numeric_limits<std::int64_t>::max(),
                                                  std::numeric_limits<std::int64_t>::max() / 2,
                                                  std::numeric_limits<std::int64_t>::max() / 64,
                                                  std::int64_t{1} << 40,
                                                  (std::int64_t{1} << 31) - 1,
                                                  1'000'000'007,
                                                  3'037'000'500};
    return values[c_.below(values.size())];
  }
  [[nodiscard]] auto time(std::int64_t least, std::uint32_t most) -> json {
    if (edges_ && c_.below(16) == 15) { return edge(); }
    return c_.between(least, most);
  }
  [[nodiscard]] auto span(std::uint32_t most) -> json {
    if (edges_ && c_.below(16) == 15) { return json::array({c_.below(2), edge()}); }
    const std::int64_t upper = c_.between(1, most);
    switch (c_.below(3)) {
      case 0: return upper;
      case 1: return json::array({upper, upper});
      default: return json::array({c_.between(0, static_cast<std::uint32_t>(upper)), upper});
    }
  }

  [[nodiscard]] auto platform() -> json {
    json out = json::object();
    if (!sharing_.empty()) { out["gpus"].push_back(gpu()); }
    if (!kernels_only_) {
      json& cpus = out["cpus"];
      cpus["count"] = cores_ = c_.between(1, 4);
      cpus["policy"] = globally_ ? "g-edf" : c_.below(2) == 1 ? "edf" : "fixed-priority";
      if (globally_ && cores_ % 2 == 0 && c_.seldom()) { cpus["clusters"] = clusters_ = 2; }
      if (!sharing_.empty() && !own_engines_ && c_.usually()) {
        json& engines = out["copy_engines"];
        engines["count"] = c_.between(1, 2);
        if (c_.seldom()) { engines["policy"] = c_.below(2) == 1 ? "fifo" : "nonpreemptive-fixed-priority"; }
        copies_ = true;
      }
      if (c_.seldom()) {
        out["resources"] = json::array({json{{"name", "npu"}, {"count", 1}}});
        npu_ = true;
      }
      if (c_.seldom()) { out["overheads"] = {{"schedule", time(0, 1)}, {"context_switch", time(0, 1)}}; }
    }
    return out;
  }

  [[nodiscard]] auto gpu() -> json {
    sms_ = c_.between(1, 4);
    json out{{"sms", sms_}, {"threads_per_sm", 64}, {"sharing", sharing_}};
    if (c_.seldom()) { out["context_switch"] = time(0, 2); }
    if (c_.seldom()) { out["virtual_per_sm"] = 2; }
    if (sharing_ == "time-sliced") { out["slice"] = time(1, 4); }
    if (sharing_ == "tokens") {
      out["protocol"] = c_.one_of(std::array<std::string_view, 3>{"k-fmlp", "r2dglp", "ck-omlp"});
      out["tokens_per_gpu"] = c_.between(1, static_cast<std::uint32_t>(sms_));
      if (c_.below(2) == 1) {
        out["copy_engines"] = c_.between(1, 2);
        own_engines_ = true;
        if (c_.seldom()) { out["count"] = 2; }
        if (c_.seldom()) { out["engine_order"] = c_.one_of(std::array<std::string_view, 2>{"fifo", "priority"}); }
      }
    }
    if (sharing_ == "levels") {
      out["preemption_levels"] = c_.between(1, 3);
      if (c_.seldom()) { out["cost_model"] = "race"; }
    }
    if (sharing_ == "slots") {
      json& slots = out["slots"];
      slots["period"] = time(2, 12);
      if (c_.usually()) { slots["pinned"] = {{"offset", time(0, 2)}, {"budget", time(1, 6)}}; }
      if (c_.usually()) { slots["gang"] = {{"offset", time(0, 6)}, {"budget", time(1, 6)}}; }
    }
    if (sharing_ == "shares") {
      if (c_.seldom()) { out["rules"] = c_.one_of(std::array<std::string_view, 3>{"robust", "text", "literal"}); }
      if (c_.seldom()) { out["memory"] = 1000; }
    }
    if (only_kernels() && sharing_ != "shares") { out["policy"] = c_.below(2) == 1 ? "edf" : "fixed-priority"; }
    return out;
  }

  [[nodiscard]] auto task(std::int64_t number) -> json {
    json out{{"name", "t" + std::to_string(number)}};
    const std::int64_t period = c_.between(4, 60);
    out["period"] = edges_ && c_.below(16) == 15 ? edge() : json(period);
    switch (c_.below(4)) {
      case 0: break;
      case 1: out["deadline"] = time(1, static_cast<std::uint32_t>(period)); break;
      case 2: out["deadline"] = time(period / 2, static_cast<std::uint32_t>(period)); break;
      default: out["deadline"] = time(period, 120); break;
    }
    if (c_.seldom()) { out["deadline"] = nullptr; }
    if (c_.seldom()) { out["jitter"] = time(0, 6); }
    if (c_.seldom()) { out["offset"] = time(0, 9); }
    if (c_.below(4) == 3 || sharing_ == "shares") { out["priority"] = number; }
    if (!kernels_only_ && c_.below(2) == 1) {
      if (!globally_) { out["core"] = c_.between(0, static_cast<std::uint32_t>(cores_ - 1)); }
      if (globally_ && clusters_ > 1) { out["cluster"] = c_.between(0, 1); }
    }
    if (sharing_ == "shares" && c_.seldom()) { out["share"] = c_.between(1, 100); }
    if (kernels_only_) {
      out["segments"] = json::array({step(true)});
      return out;
    }
    if (globally_ ? c_.below(2) == 1 : c_.seldom()) {
      add_graph(out);
      return out;
    }
    json segments = json::array();
    const std::int64_t rounds = c_.between(0, sharing_.empty() ? 0 : 2);
    segments.push_back({{"cpu", span(6)}});
    for (std::int64_t r = 0; r < rounds; ++r) {
      if (copies_ && c_.below(2) == 1) { segments.push_back({{"copy", span(4)}, {"direction", "to-device"}}); }
      segments.push_back(step(true));
      if (copies_ && c_.below(2) == 1) { segments.push_back({{"copy", span(4)}, {"direction", "to-host"}}); }
      segments.push_back({{"cpu", span(4)}});
    }
    if (npu_ && c_.below(2) == 1) { segments.push_back({{"npu", span(4)}}); }
    out["segments"] = std::move(segments);
    return out;
  }

  void add_graph(json& to) {
    const std::int64_t nodes = c_.between(1, 4);
    json edges = json::array();
    for (std::int64_t i = 0; i < nodes; ++i) {
      json node = step(!sharing_.empty() && c_.below(3) == 2);
      node["name"] = "n" + std::to_string(i);
      if (c_.seldom()) { node["parallelism"] = c_.between(1, 2); }
      to["nodes"].push_back(std::move(node));
      for (std::int64_t before = 0; before < i; ++before) {
        if (c_.below(2) == 1) { edges.push_back(json::array({"n" + std::to_string(before), "n" + std::to_string(i)})); }
      }
    }
    if (!edges.empty()) { to["edges"] = std::move(edges); }
    if (nodes > 1 && c_.seldom()) { to["history"] = json::array({json::array({"n1", "n0", c_.between(1, 3)})}); }
  }

  [[nodiscard]] auto step(bool on_gpu) -> json {
    if (!on_gpu) { return {{"cpu", span(6)}}; }
    json kernel = json::object();
    const std::int64_t wcet = c_.between(1, 8);
    if (c_.usually()) { kernel["wcet"] = edges_ && c_.below(16) == 15 ? edge() : json(wcet); }
    if (c_.usually() && sharing_ != "slots" && sharing_ != "gang") { kernel["work"] = span(12); }
    if (c_.seldom()) { kernel["overhead"] = time(0, 2); }
    if (c_.seldom()) { kernel["interleave"] = c_.below(2) == 1 ? "9/5" : "2/1"; }
    const bool blocks = sharing_ == "fifo-blocks" || sharing_ == "tokens" || sharing_ == "single-stream";
    if (blocks && c_.usually()) {
      kernel["blocks"] = c_.between(1, 6);
      kernel["threads_per_block"] = 32;
      kernel["length"] = span(4);
    }
    if (only_kernels() && c_.usually()) {
      if (sharing_ != "shares") { kernel["preemption_cost"] = time(0, static_cast<std::uint32_t>(wcet)); }
      const bool alone = (sharing_ == "slots" || sharing_ == "gang") && c_.below(2) == 1;
      if (alone) { kernel["core"] = c_.between(0, static_cast<std::uint32_t>(sms_ - 1)); }
      if (!alone && c_.seldom()) { kernel["width"] = "all-cores"; }
    }
    if (sharing_ == "shares" || c_.seldom()) {
      kernel["wcet_by_share"] = {{"c100", time(1, 6)}, {"fixed_permille", c_.between(0, 100) * 10}};
    }
    json out{{"kernel", std::move(kernel)}};
    if (!kernels_only_ && c_.seldom()) { out["launch"] = span(2); }
    return out;
  }

  choices& c_;
  bool edges_ = false;
  std::string sharing_;
  bool globally_ = false;
  bool kernels_only_ = false;
  bool own_engines_ = false;
  bool copies_ = false;
  bool npu_ = false;
  std::int64_t cores_ = 0;
  std::int64_t clusters_ = 1;
  std::int64_t sms_ = 0;
};

}  // namespace takt::fuzz
