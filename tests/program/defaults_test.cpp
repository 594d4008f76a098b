// SPDX-License-Identifier: Apache-2.0
// What a file does not say is taken for the worst that it could mean, or the verdict names the key.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/core/random.hpp>

#include "files/defaults.hpp"
#include "files/words.hpp"
#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::data;
using takt::test::object;
using takt::test::write;

constexpr std::int64_t ms = 1'000'000;

struct answer {
  int code = -1;
  json verdict;

  [[nodiscard]] auto is_read() const -> bool { return code >= 0 && code <= 2; }
  [[nodiscard]] auto status() const -> std::string { return verdict.at("status"); }
  [[nodiscard]] auto bound(const std::string& task) const -> std::optional<std::int64_t> {
    for (const json& t : verdict.at("tasks")) {
      if (t.at("name") == task && !t.at("response_bound").is_null()) {
        return t.at("response_bound").get<std::int64_t>();
      }
    }
    return std::nullopt;
  }
  /// Whether an assumption names a key.
  [[nodiscard]] auto assumes(const std::string& key) const -> bool {
    return std::ranges::any_of(verdict.at("assumptions"), [&](const json& a) {
      return takt::test::contains(a.get<std::string>(), "\"" + key + "\"");
    });
  }
};

auto analyzed(const json& file, const std::string& options = {}) -> answer {
  const auto o = takt::test::takt("analyze " + write("asked.json", file.dump()) + " --json" + options);
  answer out{o.code, {}};
  if (out.is_read()) { out.verdict = object(o); }
  return out;
}

/// Kernels on SMs that each task has for itself.
auto on_sms(json gpu, const std::vector<std::pair<json, std::string>>& kernels_and_periods) -> json {
  json out{{"format", "takt/1"},
           {"platform", {{"cpus", {{"count", 8}}}, {"copy_engines", {{"count", 1}}}, {"gpus", {std::move(gpu)}}}}};
  for (const auto& [kernel, period] : kernels_and_periods) {
    const auto number = static_cast<int>(out.contains("tasks") ? out["tasks"].size() : 0);
    out["tasks"].push_back({{"name", "t" + std::to_string(number)},
                            {"core", number},
                            {"period", period},
                            {"segments", {{{"kernel", kernel}}}}});
  }
  return out;
}

}  // namespace

TEST_CASE("program: threads of an SM never say how many virtual SMs it has, and one is what a file without them has") {
  const json kernel{{"work", "80ms"}};
  const auto bound = [&](json gpu) {
    gpu["sms"] = 8;
    gpu["granularity"] = 8;
    gpu["sharing"] = "isolated";
    return analyzed(on_sms(std::move(gpu), {{kernel, "40ms"}})).bound("t0");
  };
  CHECK(bound(json::object()) == 10 * ms);
  for (const int threads : {512, 1024, 1536, 2048, 3072}) { CHECK(bound({{"threads_per_sm", threads}}) == 10 * ms); }
  CHECK(bound({{"virtual_per_sm", 2}}) == 10 * ms);
  CHECK(bound({{"virtual_per_sm", 4}, {"threads_per_sm", 1024}}) == 10 * ms);
}

TEST_CASE("program: one SM does no more than its time, however many virtual ones it is cut in") {
  const json kernel{{"work", "10ms"}};
  const json gpu{{"sms", 1}, {"virtual_per_sm", 2}, {"sharing", "shared"}};
  const answer crowded = analyzed(on_sms(gpu, {{kernel, "11ms"}, {kernel, "11ms"}}));
  CHECK(crowded.code != 0);
  const answer roomy = analyzed(on_sms(gpu, {{kernel, "20ms"}, {kernel, "20ms"}}));
  CHECK(roomy.status() == "schedulable");
  CHECK(roomy.assumes("interleave"));
  CHECK(roomy.bound("t0") == 20 * ms);
}

TEST_CASE("program: work with an overhead needs no ratio") {
  const json gpu{{"sms", 2}, {"sharing", "whole"}};
  const std::string file =
      write("overhead-alone.json", on_sms(gpu, {{{{"work", "8ms"}, {"overhead", "20us"}}, "100ms"}}).dump());
  CHECK(takt::test::takt("analyze " + file).code == 0);
}

TEST_CASE("program: a kernel that does not say how it stops runs to its end, whoever chose the rule") {
  const json gpu{{"sms", 2}, {"preemption_levels", 2}, {"sharing", "levels"}, {"policy", "fixed-priority"}};
  json file = on_sms(gpu, {{{{"wcet", "5ms"}, {"preemption_cost", "1ms"}}, "100ms"}, {{{"wcet", "60ms"}}, "200ms"}});
  file["platform"].erase("cpus");
  file["tasks"][0]["deadline"] = "10ms";
  for (std::size_t i = 0; i < 2; ++i) {
    file["tasks"][i]["priority"] = i;
    file["tasks"][i].erase("core");
  }
  for (const char* const options : {"", " --policy levels", " --policy gang"}) {
    CAPTURE(options);
    const answer open = analyzed(file, options);
    REQUIRE(open.is_read());
    CHECK(open.status() != "schedulable");
    CHECK(open.bound("t0").value_or(65 * ms) >= 65 * ms);
    CHECK(open.assumes("preemption_cost"));
  }
  file["tasks"][1]["segments"][0]["kernel"]["preemption_cost"] = 0;
  const answer zero = analyzed(file);
  CHECK(zero.status() == "schedulable");
  CHECK_FALSE(zero.assumes("preemption_cost"));
}

TEST_CASE("program: a table of times says which SMs it counts, and holds between its counts") {
  const json list{{"time_on", {"9ms", "8ms", "5ms", "4ms"}}};
  const json sparse{{"time_on", {{"4", "4ms"}, {"2", {"1ms", "8ms"}}}}};
  const auto gpu = [](int per_sm) { return json{{"sms", 4}, {"virtual_per_sm", per_sm}, {"sharing", "isolated"}}; };
  const auto on = [&](int sms, int per_sm, const json& kernel) {
    json file = on_sms(gpu(per_sm), {{kernel, "20ms"}});
    file["plan"]["sms"]["t0"] = sms;
    return analyzed(file).bound("t0");
  };
  CHECK(on(4, 1, list) == 4 * ms);
  CHECK(on(1, 1, list) == 9 * ms);
  for (const int per_sm : {1, 2, 3}) {
    CAPTURE(per_sm);
    CHECK(on(4, per_sm, sparse) == 4 * ms);
    CHECK(on(3, per_sm, sparse) == 8 * ms);
    CHECK(on(2, per_sm, sparse) == 8 * ms);
    json file = on_sms(gpu(per_sm), {{sparse, "20ms"}});
    file["plan"]["sms"]["t0"] = 1;
    CHECK(analyzed(file).code == 3);  // nobody knows how long it takes on one
  }
  const std::string by_sms = write("by_sms.json", on_sms(gpu(1), {{sparse, "20ms"}}).dump());
  CHECK(takt::test::takt("export cpp " + by_sms).code == 3);  // C++ has no word for it
  // As long as the SMs are many, a list could be about either.
  const auto refused = takt::test::takt("analyze " + write("either.json", on_sms(gpu(2), {{list, "20ms"}}).dump()));
  CHECK(refused.code == 3);
  CHECK(takt::test::contains(refused.err, "/tasks/0/segments/0/kernel/time_on: "));
  const json longer{{"time_on", {"9ms", "8ms", "5ms", "4ms", "4ms"}}};
  CHECK(on(2, 2, longer) == 4 * ms);
  // What was measured without neighbours says nothing where halves of SMs are handed out.
  json shared = gpu(2);
  shared["sharing"] = "shared";
  CHECK(analyzed(on_sms(shared, {{sparse, "20ms"}, {sparse, "20ms"}})).code != 0);
  for (const char* const wrong :
       {R"({})", R"({"0": 3})", R"({"5": 3})", R"({"two": 3})", R"({"2": -1})", R"({"02": 3})", R"({"": 3})"}) {
    CAPTURE(wrong);
    const json kernel{{"time_on", json::parse(wrong)}};
    CHECK(takt::test::takt("analyze " + write("wrong.json", on_sms(gpu(1), {{kernel, "20ms"}}).dump())).code == 3);
  }
}

TEST_CASE("program: every key of the format has a row in the table of defaults, and the page shows that table") {
  std::set<std::pair<std::string_view, std::string_view>> keys;
  for (const auto& o : takt::program::all_objects()) {
    for (const auto& key : o.keys) { CHECK(keys.emplace(o.what, key).second); }
  }
  std::set<std::pair<std::string_view, std::string_view>> rows;
  for (const auto& row : takt::program::defaults()) {
    CAPTURE(std::string{row.object});
    CAPTURE(std::string{row.key});
    CHECK(rows.emplace(row.object, row.key).second);
    CHECK(keys.contains({row.object, row.key}));
    CHECK_FALSE(row.taken.empty());
  }
  for (const auto& [what, key] : keys) {
    CAPTURE(std::string{what});
    CAPTURE(std::string{key});
    CHECK(rows.contains({what, key}));
  }
  CHECK(takt::test::contains(takt::test::read(TAKT_SOURCE_DIR "/docs/defaults.md"), takt::program::defaults_page()));
}

TEST_CASE("program: a file that leaves out a key of new meaning has one note on it, and one that says it has none") {
  json file = on_sms({{"sms", 4}, {"sharing", "isolated"}}, {{{{"work", "8ms"}}, "20ms"}});
  const auto notes = [&] {
    std::size_t count = 0;
    const answer found = analyzed(file);
    for (const json& note : found.verdict.at("notes")) {
      count += takt::test::contains(note.get<std::string>(), "virtual_per_sm") ? 1U : 0U;
      count += takt::test::contains(note.get<std::string>(), "interleave") ? 1U : 0U;
    }
    return count;
  };
  CHECK(notes() == 1);
  CHECK(analyzed(file).assumes("virtual_per_sm"));
  file["platform"]["gpus"][0]["virtual_per_sm"] = 2;
  CHECK(notes() == 1);
  CHECK(analyzed(file).assumes("interleave"));
  file["tasks"][0]["segments"][0]["kernel"]["interleave"] = 2;
  CHECK(notes() == 0);
}

TEST_CASE("program: boards say into how many virtual SMs an SM is cut, under every policy and beside own resources") {
  json file = on_sms({{"sms", 8}, {"virtual_per_sm", 3}, {"context_switch", 0}, {"preemption_levels", 2}},
                     {{{{"work", "8ms"}, {"wcet", "2ms"}}, "90ms"}});
  for (const bool own : {false, true}) {
    if (own) { file["platform"]["resources"] = {{{"name", "npu"}}}; }
    for (const char* const policy : {"federated", "federated-shared", "whole-gpu", "busy-waiting", "time-sliced",
                                     "levels", "gang", "tokens-k-fmlp:1"}) {
      CAPTURE(policy);
      const auto o =
          takt::test::takt("analyze " + write("virtual.json", file.dump()) + " --policy " + std::string{policy});
      REQUIRE(o.code <= 2);
      CHECK(takt::test::contains(o.out, " x 3 virtual"));
    }
  }
}

namespace {

/// A key of some object of a file.
struct place {
  json::json_pointer object;
  std::string key;
};

void collect(const json& v, const json::json_pointer& at, std::vector<place>& out) {
  if (v.is_object()) {
    for (const auto& [key, value] : v.items()) {
      if (key != "tasks" && key != "graphs") { out.push_back({at, key}); }
      collect(value, at / key, out);
    }
  } else if (v.is_array()) {
    for (std::size_t i = 0; i < v.size(); ++i) { collect(v[i], at / i, out); }
  }
}

/// What leaving out a key made better without the verdict naming it; nothing where all is well.
auto flattered(const answer& said, const answer& unsaid, const std::string& key) -> std::string {
  if (!said.is_read() || !unsaid.is_read() || unsaid.assumes(key)) { return {}; }
  if (said.status() != "schedulable" && unsaid.status() == "schedulable") {
    return said.status() + " became schedulable";
  }
  for (const json& t : said.verdict.at("tasks")) {
    const std::string name = t.at("name");
    const auto with = said.bound(name);
    const auto without = unsaid.bound(name);
    if (with && without && *without < *with) {
      return name + ": " + std::to_string(*with) + " became " + std::to_string(*without);
    }
  }
  return {};
}

/// Leaves out some keys of a file, each by itself.
void check_left_out(const json& file, takt::random_stream& random, int tries) {
  std::vector<place> places;
  collect(file, json::json_pointer{}, places);
  const answer said = analyzed(file);
  if (!said.is_read()) { return; }
  for (int i = 0; i < tries; ++i) {
    const place& p = places[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(places.size())))];
    json less = file;
    less[p.object].erase(p.key);
    const std::string what = flattered(said, analyzed(less), p.key);
    const std::string at = p.object.to_string() + "/" + p.key;
    CAPTURE(file.dump());
    CAPTURE(at);
    CHECK(what == "");
  }
}

auto without_comments(const std::string& text) -> json { return json::parse(text, nullptr, true, true); }

}  // namespace

TEST_CASE("program: a key that is left out makes no verdict better unless an assumption names it") {
  auto random = takt::random_stream{41};
  for (const char* const name :
       {"accelerator-example1", "accelerator-levels", "camera-graph", "gcaps-xavier-cpu1", "gcaps-xavier-tokens",
        "gpusync-board", "reef-dnn-mi50", "shares-trio", "waters2019-camera", "waters2019-denver"}) {
    CAPTURE(name);
    check_left_out(without_comments(takt::test::read(data(name))), random, 12);
  }
  for (const char* const generator :
       {"rtgpu --count 3", "rtgpu --count 2 --shared", "blocks --tasks 3", "kernels", "gpusync", "graphs", "shares"}) {
    CAPTURE(generator);
    std::istringstream lines{takt::test::takt("generate " + std::string{generator} + " --seed 7").out};
    for (std::string line; std::getline(lines, line);) { check_left_out(json::parse(line), random, 10); }
  }
}

namespace {

/// Chains around kernels that say their work and no ratio.
struct random_load {
  std::vector<std::int64_t> periods;
  std::vector<std::int64_t> deadlines;
  std::vector<std::int64_t> work;
  std::int64_t sms = 1;

  explicit random_load(takt::random_stream& r) : sms{1 + r.below(3)} {
    const std::int64_t tasks = 1 + r.below(3);
    for (std::int64_t i = 0; i < tasks; ++i) {
      periods.push_back((4 + r.below(20)) * ms);
      deadlines.push_back(periods.back() - r.below(periods.back() / 3));
      work.push_back(1 + r.below(deadlines.back() * sms * 2 / tasks));
    }
  }
  [[nodiscard]] auto file(std::int64_t per_sm) const -> json {
    json out{
        {"format", "takt/1"},
        {"platform",
         {{"cpus", {{"count", 4}}},
          {"copy_engines", {{"count", 1}}},
          {"gpus", {{{"sms", sms}, {"virtual_per_sm", per_sm}, {"context_switch", 0}, {"preemption_levels", 2}}}}}}};
    for (std::size_t i = 0; i < periods.size(); ++i) {
      out["tasks"].push_back({{"name", "t" + std::to_string(i)},
                              {"period", periods[i]},
                              {"deadline", deadlines[i]},
                              {"segments", {{{"cpu", 1000}}, {{"kernel", {{"work", work[i]}}}}, {{"cpu", 1000}}}}});
    }
    return out;
  }
  /// Whether all jobs that are released together leave more work before some deadline than the SMs do until then.
  [[nodiscard]] auto is_beyond_all_sms() const -> bool {
    const std::int64_t last = 40 * ms;
    for (std::size_t i = 0; i < periods.size(); ++i) {
      for (std::int64_t end = deadlines[i]; end <= last; end += periods[i]) {
        std::int64_t sum = 0;
        for (std::size_t j = 0; j < periods.size(); ++j) {
          if (end >= deadlines[j]) { sum += ((end - deadlines[j]) / periods[j] + 1) * work[j]; }
        }
        if (sum > sms * end) { return true; }
      }
    }
    return false;
  }
};

}  // namespace

TEST_CASE("program: no policy proves more work of kernels than the SMs have time for") {
  auto random = takt::random_stream{11};
  int beyond = 0;
  int proven = 0;
  for (int i = 0; i < 25; ++i) {
    const random_load load{random};
    for (const std::int64_t per_sm : {1, 2, 3}) {
      const json file = load.file(per_sm);
      const auto rows = object(takt::test::takt("compare " + write("load.json", file.dump()) + " --json")).at("rows");
      for (const json& row : rows) {
        if (row.at("status") != "schedulable") { continue; }
        ++proven;
        INFO(file.dump());
        INFO(row.at("policy").get<std::string>());
        CHECK_FALSE(load.is_beyond_all_sms());
      }
    }
    beyond += load.is_beyond_all_sms() ? 1 : 0;
  }
  CHECK(beyond > 3);
  CHECK(proven > 100);
}
