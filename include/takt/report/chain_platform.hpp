// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/report/table.hpp>
#include <takt/report/tree.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/priority_order.hpp>

/// The platforms and plans of chains in words, and as the file format writes them.
namespace takt::inline TAKT_ABI::report::detail {

/// Holds the rules of the pools, in the words of the file format; an empty one belongs to a pool that is not there.
struct rule_words {
  std::string_view cpus{};
  std::string_view copies{};
  std::string_view gpus{};
  std::string_view protocol{};  ///< of tokens
};

/// Orders that the file format has no word for are written as the priorities that they give.
[[nodiscard]] constexpr auto word_of(TaskLevelPriority auto /*order*/) noexcept -> std::string_view {
  return "fixed-priority";
}
[[nodiscard]] constexpr auto word_of(by_relative_deadline /*order*/) noexcept -> std::string_view {
  return "deadline-monotonic";
}
[[nodiscard]] constexpr auto word_of(by_period /*order*/) noexcept -> std::string_view { return "rate-monotonic"; }

/// Returns the word for copy engines, which keep what they have begun.
[[nodiscard]] constexpr auto copy_word_of(TaskLevelPriority auto /*order*/) noexcept -> std::string_view {
  return "nonpreemptive-fixed-priority";
}
[[nodiscard]] constexpr auto copy_word_of(by_arrival /*order*/) noexcept -> std::string_view { return "fifo"; }

template <KnownComposition P>
[[nodiscard]] auto rule_words_of(const platform_record& record) -> rule_words {
  rule_words out{.cpus = word_of(order_of<typename P::cpu_rule>{})};
  if constexpr (!Absent<typename P::copy_rule>) { out.copies = copy_word_of(order_of<typename P::copy_rule>{}); }
  if (!record.gpus.empty()) { out.gpus = record.gpus[0].shared ? "shared" : "isolated"; }
  if constexpr (TokenGpuPlatform<P>) {
    out.gpus = "tokens";
    out.protocol = P::gpu_rule::token_rule::word;
  }
  return out;
}

[[nodiscard]] inline auto speed_text(const gpu_speed& speed) -> std::string {
  return std::to_string(speed.numerator) + "/" + std::to_string(speed.denominator);
}

[[nodiscard]] inline auto pool_tree(std::int32_t count, std::string_view policy) -> tree {
  tree out;
  out.add("count", count);
  if (!policy.empty()) { out.add("policy", policy); }
  return out;
}

[[nodiscard]] inline auto board_tree(const platform_record& platform, const rule_words& rules) -> tree {
  tree gpus{tree::array{}};
  for (const gpu_record& gpu : platform.gpus) {
    tree one;
    one.add("sms", gpu.sms).add("virtual_per_sm", gpu.virtual_per_sm).add("granularity", gpu.granularity);
    one.add("sharing", rules.gpus);
    if (rules.gpus == "tokens") { one.add("tokens_per_gpu", gpu.tokens); }
    if (!gpu.speed.is_one()) { one.add("speed", speed_text(gpu.speed)); }
    gpus.push(std::move(one));
  }
  tree out;
  out.add("cpus", pool_tree(platform.cores, rules.cpus));
  out.add("copy_engines", pool_tree(platform.copy_engines, rules.copies));
  out.add("gpus", std::move(gpus));
  return out;
}

[[nodiscard]] inline auto rule_in_brackets(std::string_view rule) -> std::string {
  return rule.empty() ? std::string{} : " (" + std::string{rule} + ")";
}

inline constexpr std::string_view unsaid_interleave_words =
    "A kernel without \"interleave\" is stretched by all virtual SMs of an SM: it gains nothing from sharing one.";

/// Returns " x 2 virtual" of SMs that are several virtual ones each.
[[nodiscard]] inline auto virtual_words(std::int32_t virtual_per_sm) -> std::string {
  return virtual_per_sm == 1 ? std::string{} : " x " + std::to_string(virtual_per_sm) + " virtual";
}

[[nodiscard]] inline auto board_words(const platform_record& platform, const rule_words& rules)
    -> std::vector<std::string> {
  std::vector<std::string> out{plural(platform.cores, "core") + rule_in_brackets(rules.cpus)};
  out.push_back(platform.copy_engines == 0
                    ? std::string{"no copy engine"}
                    : plural(platform.copy_engines, "copy engine") + rule_in_brackets(rules.copies));
  for (const gpu_record& gpu : platform.gpus) {
    std::string text =
        "GPU with " + plural(gpu.sms, "SM") + virtual_words(gpu.virtual_per_sm) + rule_in_brackets(rules.gpus);
    if (gpu.granularity > 1) { text += " in units of " + std::to_string(gpu.granularity); }
    if (!gpu.speed.is_one()) { text += " at speed " + speed_text(gpu.speed); }
    out.push_back(std::move(text));
  }
  if (platform.gpus.empty()) { out.emplace_back("no GPU"); }
  return out;
}

/// Returns "2 SMs", "1 virtual SM of GPU 1".
[[nodiscard]] inline auto share_words(const platform_record& platform, const sm_share& share) -> std::string {
  if (share.sms < 1) { return {}; }
  const auto gpu = static_cast<std::size_t>(share.gpu);
  const bool is_virtual = gpu < platform.gpus.size() && platform.gpus[gpu].shared;
  const std::string text = plural(share.sms, is_virtual ? "virtual SM" : "SM");
  return platform.gpus.size() > 1 ? text + " of GPU " + std::to_string(share.gpu) : text;
}

[[nodiscard]] inline auto token_words(const platform_record& platform, std::string_view protocol) -> std::string {
  std::vector<std::string> parts;
  for (const gpu_record& gpu : platform.gpus) {
    parts.push_back(plural(gpu.tokens, "token") + " of " + plural(gpu.slot(), "SM"));
  }
  return joined(parts, " and ") + " under " + std::string{protocol};
}

/// Returns who has which part of the GPUs.
template <class Table, std::size_t N, std::size_t M>
[[nodiscard]] auto plan_words(const platform_record& platform, const rule_words& rules, const Table& table,
                              const plan<N, M>& p) -> std::string {
  if (table.gpu_tasks() == 0) { return {}; }
  if (rules.gpus == "tokens") { return token_words(platform, rules.protocol); }
  std::vector<std::string> kernels(table.size());
  for (std::size_t k = 0; k < table.size(); ++k) {
    const auto id = table.tasks[k].id;
    if (!table.has_kernel(k) || id >= p.shares.size()) { continue; }
    kernels[id] = std::string{table.tasks[k].name} + " " + std::to_string(p.shares[id].sms);
    if (platform.gpus.size() > 1) { kernels[id] += " on GPU " + std::to_string(p.shares[id].gpu); }
  }
  std::erase(kernels, std::string{});
  return (rules.gpus == "shared" ? "virtual SMs: " : "SMs: ") + joined(kernels);
}

}  // namespace takt::inline TAKT_ABI::report::detail
