// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <takt/core/random.hpp>

namespace takt_tests {

using takt::random_stream;
using takt::ticks;

/// A small task-set file with the facts that every policy asks for. Loads are light, so that many files are proven.
class drawn_board {
 public:
  using json = nlohmann::ordered_json;

  explicit drawn_board(std::uint64_t seed) : r_{seed} {}

  [[nodiscard]] auto file() -> json {
    kernels_only_ = r_.chance(1, 5);
    cores_ = r_.between(1, 4);
    json out{{"format", "takt/1"}, {"platform", platform()}};
    const ticks tasks = r_.between(1, 5);
    const bool ordered = r_.chance(1, 3);
    for (ticks i = 0; i < tasks; ++i) {
      json t = task(i);
      if (ordered) { t["priority"] = (i * 7 + 3) % 11; }
      out["tasks"].push_back(std::move(t));
    }
    return out;
  }

 private:
  [[nodiscard]] auto platform() -> json {
    json out = json::object();
    globally_ = r_.chance(1, 4);
    clusters_ = globally_ && cores_ % 2 == 0 && r_.chance(1, 2) ? 2 : 1;
    out["cpus"] = {{"count", cores_}, {"policy", globally_ ? "g-edf" : r_.chance(1, 4) ? "edf" : "fixed-priority"}};
    if (clusters_ > 1) { out["cpus"]["clusters"] = clusters_; }
    copies_ = r_.chance(2, 3);
    if (copies_) { out["copy_engines"] = {{"count", r_.between(1, 2)}}; }
    sms_ = r_.between(1, 8);
    json gpu{{"sms", sms_},
             {"virtual_per_sm", r_.chance(1, 6) ? 2 : 1},
             {"threads_per_sm", 1024},
             {"blocks_per_sm", 16},
             {"preemption_levels", r_.between(1, 3)},
             {"context_switch", r_.chance(1, 2) ? 0 : us(r_.between(10, 300))}};
    if (!kernels_only_ && r_.chance(1, 3)) { gpu["count"] = 2; }
    out["gpus"].push_back(std::move(gpu));
    return out;
  }

  [[nodiscard]] auto task(ticks number) -> json {
    json out{{"name", "t" + std::to_string(number)}};
    const ticks period = 10 * r_.between(1, 12);
    out["period"] = us(1000 * period);
    if (r_.chance(2, 3)) { out["deadline"] = us(1000 * period * r_.between(4, 10) / 10); }
    if (r_.chance(1, 8)) { out["jitter"] = us(r_.between(1, 900)); }
    if (!globally_ && r_.chance(1, 4)) { out["core"] = r_.below(cores_); }
    if (clusters_ > 1 && r_.chance(1, 3)) { out["cluster"] = r_.below(clusters_); }
    whole_ = 1000 * period;
    if (kernels_only_) {
      out["segments"] = json::array({kernel(true)});
      return out;
    }
    if (r_.chance(1, 5)) {
      for (ticks i = 0, n = r_.between(1, 4); i < n; ++i) {
        json node = i > 0 && r_.chance(1, 3) ? kernel(false) : json{{"cpu", part(12)}};
        node["name"] = "n" + std::to_string(i);
        out["nodes"].push_back(std::move(node));
        if (i > 0) { out["edges"].push_back({"n" + std::to_string(r_.below(i)), "n" + std::to_string(i)}); }
      }
      return out;
    }
    json segments = json::array({json{{"cpu", part(12)}}});
    for (ticks k = r_.between(0, 2); k > 0; --k) {
      if (copies_ && r_.chance(1, 2)) { segments.push_back({{"copy", part(40)}, {"direction", "to-device"}}); }
      segments.push_back(kernel(false));
      if (copies_ && r_.chance(1, 2)) { segments.push_back({{"copy", part(40)}, {"direction", "to-host"}}); }
      segments.push_back({{"cpu", part(12)}});
    }
    out["segments"] = std::move(segments);
    return out;
  }

  [[nodiscard]] auto kernel(bool alone) -> json {
    const ticks time = part_us(alone ? 6 : 12);
    json k{{"wcet", us(time)}, {"preemption_cost", r_.chance(1, 2) ? 0 : us(time / 8)}};
    k["work"] = us(time * r_.between(1, sms_));
    if (r_.chance(1, 3)) { k["overhead"] = us(time / 10 + 1); }
    if (r_.chance(1, 2)) { k["interleave"] = "2"; }
    k["blocks"] = r_.between(1, 24);
    k["threads_per_block"] = 32 * r_.between(1, 8);
    k["length"] = us(time / 8 + 1);
    k["wcet_by_share"] = {{"c100", us(time)}, {"fixed_permille", 100 * r_.between(0, 5)}};
    if (alone && r_.chance(1, 3)) { k["width"] = "one-core"; }
    return {{"kernel", std::move(k)}};
  }

  /// From 0 to a part of the period.
  [[nodiscard]] auto part_us(ticks of) -> ticks { return r_.between(10, whole_ / of + 10); }
  [[nodiscard]] auto part(ticks of) -> json { return us(part_us(of)); }
  [[nodiscard]] static auto us(ticks n) -> ticks { return 1000 * n; }

  random_stream r_;
  bool kernels_only_ = false;
  bool globally_ = false;
  bool copies_ = false;
  ticks clusters_ = 1;
  ticks cores_ = 1;
  ticks sms_ = 1;
  ticks whole_ = 0;
};

}  // namespace takt_tests
