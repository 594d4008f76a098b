// SPDX-License-Identifier: Apache-2.0
#include "cpp_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/model/gpu_migration.hpp>
#include <takt/model/service_order.hpp>
#include <takt/rules/shares/share_rules.hpp>
#include <takt/systems/asked_policy.hpp>

#include "../files/parts.hpp"
#include "cpp_text.hpp"

namespace takt::program {

namespace {

using std::string_view;

/// A word of the format as the name of something in C++.
[[nodiscard]] auto snake(string_view word) -> std::string {
  std::string out{word};
  std::ranges::replace(out, '-', '_');
  return "takt::" + out;
}

[[nodiscard]] auto member(string_view name, const std::string& value) -> cpp_term {
  return cpp_word(fmt::format(".{} = {}", name, value));
}

[[nodiscard]] auto gpu_of(const gpu_hardware& gpu) -> cpp_term {
  constexpr gpu_hardware unsaid;
  cpp_term out = cpp_braces("", {});
  const auto say = [&](string_view name, std::int64_t value, std::int64_t usual) {
    if (value != usual) { out.arguments.push_back(member(name, cpp_number(value))); }
  };
  say("sms", gpu.sms, unsaid.sms);
  say("virtual_per_sm", gpu.virtual_per_sm, unsaid.virtual_per_sm);
  say("granularity", gpu.granularity, unsaid.granularity);
  if (gpu.speed.numerator != unsaid.speed.numerator || gpu.speed.denominator != unsaid.speed.denominator) {
    out.arguments.push_back(member("speed", fmt::format("{{{}, {}}}", gpu.speed.numerator, gpu.speed.denominator)));
  }
  say("threads_per_sm", gpu.threads_per_sm, unsaid.threads_per_sm);
  say("blocks_per_sm", gpu.blocks_per_sm, unsaid.blocks_per_sm);
  say("warp_size", gpu.warp_size, unsaid.warp_size);
  say("preemption_levels", gpu.preemption_levels, unsaid.preemption_levels);
  say("memory", gpu.memory, unsaid.memory);
  if (gpu.context_switch != 0) { out.arguments.push_back(member("context_switch", cpp_ticks(gpu.context_switch))); }
  if (gpu.switch_is_known) { out.arguments.push_back(member("switch_is_known", "true")); }
  return out;
}

/// "  out.sms = 3;" lines of what a policy says beyond its type.
class policy_writer {
 public:
  policy_writer(const workload_file& file, const policy_input& input) : file_{file}, input_{input} {}

  [[nodiscard]] auto write() -> std::string {
    report::with_asked_policy(input_.question, [this](const auto& policy) { take(policy); });
    const bool constant = lines_.empty();
    if (constant) { return fmt::format("constexpr {} policy{{}};\n", type_); }
    return fmt::format("constexpr auto policy = [] {{\n  {} out;\n{}  return out;\n}}();\n", type_, lines_);
  }

 private:
  template <class P>
  void take(const P& policy) {
    type_ = snake(P::name) + "_policy";
    if constexpr (requires { policy.analysis; }) {
      return;  // nobody asks for one analysis alone
    } else if constexpr (requires { policy.weights; }) {
      type_ = "takt::granted_shares_policy<described.max_tasks>";
      take_shares(policy);
    } else if constexpr (std::is_same_v<P, overlapping_graphs_policy>) {
      type_ = "takt::overlapping_graphs_policy";
    } else if constexpr (std::is_same_v<P, ordered_gang_policy<strict_order>>) {
      type_ = "takt::ordered_gang_policy<takt::strict_order>";
    }
    if constexpr (requires { policy.slice; }) {
      if (policy.slice != P{}.slice) { say("slice", cpp_ticks(policy.slice)); }
    }
    if constexpr (requires { policy.levels; }) {
      if (policy.levels != 0) { say("levels", std::to_string(policy.levels)); }
      take_cost(policy.cost);
    }
    if constexpr (requires { policy.pinned.period; }) {
      if (policy.is_given()) {
        say("pinned", slot(policy.pinned));
        say("gang", slot(policy.gang));
      }
    }
    if constexpr (requires { policy.tokens; }) {
      if (policy.tokens != 0) {
        say("tokens", policy.tokens < 0 ? "takt::any_number_of_tokens" : std::to_string(policy.tokens));
      }
    }
    if constexpr (requires { policy.engines; }) {
      constexpr string_view before_protocol = "tokens-";
      type_ = fmt::format("takt::locked_engines_policy<{}_order_rule>", snake(P::name.substr(before_protocol.size())));
      take_engines(policy.engines);
    }
  }

  void say(string_view field, const std::string& value) { lines_ += fmt::format("  out.{} = {};\n", field, value); }

  void take_cost(preemption_cost_model cost) {
    switch (cost) {
      case preemption_cost_model::race: return;
      case preemption_cost_model::ideal: return say("cost", "takt::preemption_cost_model::ideal");
      case preemption_cost_model::overhead: return say("cost", "takt::preemption_cost_model::overhead");
    }
  }
  [[nodiscard]] static auto slot(const slot_reservation<ticks>& s) -> std::string {
    return fmt::format("{{.offset = {}, .budget = {}, .period = {}}}", cpp_ticks(s.offset), cpp_ticks(s.budget),
                       cpp_ticks(s.period));
  }

  template <class P>
  void take_shares(const P& policy) {
    const auto& rule = input_.question.own->rules;
    const string_view rules = rule == "text" ? "text" : rule == "literal" ? "literal" : "robust";
    const bool decreases = input_.question.own->triggers == "workload-decrease";
    say("rule", fmt::format("takt::shares(takt::wamp2s_{}, takt::{})", rules,
                            decreases ? "workload_decrease" : "every_change"));
    lines_ += cpp_contention(file_, "out.contention");
    for (std::size_t i = 0; i < policy.weights.size(); ++i) {
      lines_ += fmt::format("  out.weights.unchecked_push_back({});\n", policy.weights[i]);
    }
  }

  void take_engines(const auto& engines) {
    const auto& shape = engines.shape;
    constexpr std::remove_cvref_t<decltype(shape)> usual;
    const auto number = [&](string_view field, std::int64_t value, std::int64_t unsaid) {
      if (value != unsaid) { say(fmt::format("engines.shape.{}", field), cpp_number(value)); }
    };
    number("gpus", shape.gpus, usual.gpus);
    number("gpu_cluster_size", shape.gpu_cluster_size, usual.gpu_cluster_size);
    number("copy_engines", shape.copy_engines, usual.copy_engines);
    number("dma_chunk", shape.dma_chunk, usual.dma_chunk);
    if (shape.engines == service_order::priority) { say("engines.shape.engines", "takt::service_order::priority"); }
    if (shape.migration == migration_path::peer_to_peer) {
      say("engines.shape.migration", "takt::migration_path::peer_to_peer");
    } else if (shape.migration == migration_path::system_memory) {
      say("engines.shape.migration", "takt::migration_path::system_memory");
    }
    if (shape.uncontended == decltype(usual.uncontended)::dedicated) {
      say("engines.shape.uncontended", "takt::uncontended_gpus::dedicated");
    }
    for (std::size_t kind = 0; kind < engines.costs.kinds.size(); ++kind) {
      const auto& cost = engines.costs.kinds[kind];
      if (cost.numerator == 0) { continue; }
      say(fmt::format("engines.costs.kinds[{}]", kind),
          fmt::format("{{.setup = {}, .numerator = {}, .denominator = {}}}", cpp_ticks(cost.setup),
                      cpp_number(cost.numerator), cpp_number(cost.denominator)));
    }
    lines_ += cpp_overheads(file_, "out.engines.overheads");
  }

  const workload_file& file_;
  const policy_input& input_;
  std::string type_;
  std::string lines_;
};

}  // namespace

auto cpp_board(const workload_file& file) -> std::string {
  const hardware& board = file.board;
  std::string out = fmt::format(
      "constexpr auto board = [] {{\n  takt::hardware out{{.processors = {}, .copy_engines = {}, .gpus = {{}}, .own = {{}}}};\n",
      board.processors, board.copy_engines);
  for (const gpu_hardware& gpu : board.gpus) {
    out += fmt::format("  {};\n", cpp_text(cpp_call("out.gpus.unchecked_push_back", {gpu_of(gpu)}), 2, 1));
  }
  for (const own_hardware& o : board.own) {
    out += fmt::format("  out.own.unchecked_push_back({{.name = {}, .count = {}}});\n", cpp_quoted(o.name), o.count);
  }
  return out + "  return out;\n}();\n";
}

auto cpp_policy(const workload_file& file, const policy_input& input) -> std::string {
  return policy_writer{file, input}.write();
}

auto cpp_cpu_rule(const policy_input& input) -> std::string {
  const auto& q = input.question;
  constexpr string_view nonpreemptive = "nonpreemptive-";
  string_view word = q.cpus;
  if (word.starts_with(nonpreemptive)) {
    return fmt::format("takt::nonpreemptive({})", snake(word.substr(nonpreemptive.size())));
  }
  if (!is_cluster_keyword(word)) { return snake(word); }
  // Rules of fixed priorities have one name on a core and on a cluster.
  if (word.ends_with("-priority") || word.ends_with("-monotonic")) { word.remove_prefix(2); }
  return fmt::format("takt::clustered({}, {})", snake(word), q.cluster_size);
}

auto cpp_overheads(const workload_file& file, const std::string& to) -> std::string {
  std::string out;
  const ordered_json board = print_board(file);
  if (!board.contains("overheads")) { return out; }
  for (const auto& [key, time] : board["overheads"].items()) {
    const auto length = time.get<ticks>();
    if (length != 0) { out += fmt::format("  {}.{} = {};\n", to, key, cpp_ticks(length)); }
  }
  return out;
}

auto cpp_contention(const workload_file& file, const std::string& to) -> std::string {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> most;
  for (const slow_down& s : file.contention.value_or(std::vector<slow_down>{})) {
    auto& ppm = most[{s.slowed, s.by}];
    ppm = std::max(ppm, s.ppm);
  }
  std::string out;
  for (const auto& [pair, ppm] : most) {
    out += fmt::format("  {}.set({}, {}, {});\n", to, pair.first, pair.second, cpp_number(ppm));
  }
  return out;
}

}  // namespace takt::program
