// SPDX-License-Identifier: Apache-2.0
#include "read_platform.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "../failure.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::array<string_view, 3> platform_keys{"cpus", "copy_engines", "gpus"};
constexpr std::array<string_view, 4> cpu_keys{"count", "policy", "cores", "clusters"};
constexpr std::array<string_view, 2> core_keys{"name", "type"};
constexpr std::array<string_view, 2> engine_keys{"count", "policy"};
constexpr std::array<string_view, 9> gpu_keys{"sms",           "threads_per_sm",    "virtual_per_sm",
                                              "sharing",       "granularity",       "speed",
                                              "blocks_per_sm", "preemption_levels", "context_switch"};
constexpr std::array<string_view, 11> token_gpu_keys{
    "sms",      "threads_per_sm", "virtual_per_sm",    "sharing",       "granularity", "speed", "tokens_per_gpu",
    "protocol", "blocks_per_sm",  "preemption_levels", "context_switch"};
constexpr std::array<foreign_key, 7> gpu_foreign{{{"slots", "\"slots\" sharing", true},
                                                  {"tokens_per_gpu", "\"tokens\" sharing", true},
                                                  {"protocol", "\"tokens\" sharing", true},
                                                  {"engine_order", "GPUs with engines of their own", true},
                                                  {"copy_engines", "GPUs with engines of their own", true},
                                                  {"dma", "GPUs with engines of their own", true},
                                                  {"shares", "\"shares\" sharing", true}}};

constexpr std::array<string_view, 3> known_policies{"fixed-priority", "rate-monotonic", "deadline-monotonic"};
constexpr std::array<string_view, 4> foreign_policies{"edf", "gel", "g-edf", "g-fl"};
constexpr std::array<string_view, 1> priority_engines{"nonpreemptive-fixed-priority"};
/// Beside tokens.
constexpr std::array<string_view, 1> queue_engines{"fifo"};
constexpr std::array<string_view, 3> known_sharing{"isolated", "shared", "tokens"};
constexpr std::array<string_view, 2> foreign_sharing{"fifo-blocks", "shares"};
constexpr std::array<string_view, 3> known_protocols{"k-fmlp", "r2dglp", "ck-omlp"};

constexpr std::int32_t max_cores = 1024;
constexpr std::int32_t threads_of_a_virtual_sm = 1024;

void read_cpus(const located& v, task_file& out) {
  const fields cpus{v, cpu_keys};
  if (const auto policy = cpus.find("policy")) { out.rules.cpus = read_word(policy, known_policies, foreign_policies); }
  if (const auto cores = cpus.find("cores")) {
    const auto list = require_array(cores, "one object per core");
    for (std::size_t i = 0; i < list.value->items.size(); ++i) {
      const fields core{list.item(i), core_keys};
      core_name& named = out.cores.emplace_back();
      if (const auto name = core.find("name")) { named.name = read_text(name, "the name of the core"); }
      if (const auto type = core.find("type")) { named.type = read_text(type, "the type of the core"); }
    }
  }
  const auto count = cpus.find("count");
  if (!count && out.cores.empty()) { (void)cpus.require("count", "the number of cores"); }
  out.platform.cores = count ? read_count(count, max_cores) : static_cast<std::int32_t>(out.cores.size());
  if (!out.cores.empty() && out.cores.size() != static_cast<std::size_t>(out.platform.cores)) {
    throw input_error{cpus.find("cores").where,
                      fmt::format("names {} of {} cores", out.cores.size(), out.platform.cores), "one object per core"};
  }
  if (const auto clusters = cpus.find("clusters")) {
    if (read_count(clusters, max_cores) != out.platform.cores) {
      throw input_error{clusters.where, "cores that share tasks have no analysis in this program yet",
                        fmt::format("{}, one cluster per core", out.platform.cores)};
    }
  }
}

void read_engines(const located& v, task_file& out) {
  const fields engines{v, engine_keys};
  const auto count = engines.find("count");
  out.platform.copy_engines = count ? read_count(count, max_copy_engines) : 1;
  if (const auto policy = engines.find("policy")) {
    const bool tokens = out.rules.tokens();
    (void)read_word(policy, tokens ? queue_engines : priority_engines, tokens ? priority_engines : queue_engines);
  }
}

[[nodiscard]] auto read_speed(const located& v) -> gpu_speed {
  const auto [numerator, denominator] = read_ratio(v);
  if (numerator < 1 || numerator > max_speed_part || denominator > max_speed_part) {
    throw input_error{v.where, fmt::format("{}/{} is no speed of a GPU", numerator, denominator),
                      fmt::format("a ratio above 0 such as \"3/2\", both parts at most {}", max_speed_part)};
  }
  return {static_cast<std::int32_t>(numerator), static_cast<std::int32_t>(denominator)};
}

void read_tokens(const fields& gpu, gpu_record& record, task_file& out) {
  const auto protocol = gpu.require("protocol", fmt::format("\"{}\"", fmt::join(known_protocols, "\", \"")));
  const auto word = read_word(protocol, known_protocols);
  if (!out.platform.gpus.empty() && word != out.rules.protocol) {
    throw input_error{protocol.where, fmt::format("\"{}\" differs from the first GPU", word),
                      "one protocol for all GPUs"};
  }
  out.rules.protocol = word;
  if (const auto n = gpu.find("tokens_per_gpu")) { record.tokens = read_count(n, record.sms / record.granularity); }
}

void read_gpu(const located& v, task_file& out) {
  // The rule is looked at first, so that fields of another rule are not blamed before it.
  if (const auto* rule = v.value->find("sharing")) {
    const located at{rule, step_into(v.where, "sharing")};
    const auto word = read_word(at, known_sharing, foreign_sharing);
    if (!out.platform.gpus.empty() && word != out.rules.gpus) {
      throw input_error{at.where, fmt::format("\"{}\" differs from the first GPU", word), "one rule for all GPUs"};
    }
    out.rules.gpus = word;
  }
  const fields gpu = out.rules.tokens() ? fields{v, token_gpu_keys, gpu_foreign} : fields{v, gpu_keys, gpu_foreign};
  gpu_record record{.shared = out.rules.gpus == "shared"};
  record.sms = read_count(gpu.require("sms", "the number of SMs"), max_sms);
  record.virtual_per_sm = 2;
  std::int32_t threads = 0;
  if (const auto t = gpu.find("threads_per_sm")) {
    threads = read_count(t, 65536);
    record.virtual_per_sm = std::max(1, threads / threads_of_a_virtual_sm);
  }
  if (const auto n = gpu.find("virtual_per_sm")) { record.virtual_per_sm = read_count(n, max_virtual_per_sm); }
  if (threads > 0 && record.virtual_per_sm > threads) {
    throw input_error{gpu.find("virtual_per_sm").where,
                      fmt::format("{} virtual SMs exceed the threads of an SM", record.virtual_per_sm),
                      fmt::format("at most {}", threads)};
  }
  if (const auto n = gpu.find("granularity")) { record.granularity = read_count(n, record.sms); }
  if (const auto s = gpu.find("speed")) { record.speed = read_speed(s); }
  if (out.rules.tokens()) { read_tokens(gpu, record, out); }
  out.platform.gpus.push_back(record);
}

void read_gpus(const located& v, task_file& out) {
  const auto list = require_array(v, "one object per GPU");
  if (list.value->items.size() > max_gpus) {
    throw input_error{v.where, fmt::format("has {} GPUs", list.value->items.size()),
                      fmt::format("at most {}", max_gpus)};
  }
  for (std::size_t g = 0; g < list.value->items.size(); ++g) { read_gpu(list.item(g), out); }
}

}  // namespace

void read_platform(const located& v, task_file& out) {
  const fields platform{v, platform_keys};
  read_cpus(platform.require("cpus", "an object with count and policy"), out);
  if (const auto gpus = platform.find("gpus")) { read_gpus(gpus, out); }
  if (const auto engines = platform.find("copy_engines")) { read_engines(engines, out); }
}

}  // namespace takt::program
