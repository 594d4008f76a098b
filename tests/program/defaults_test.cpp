// SPDX-License-Identifier: Apache-2.0
// What a file does not say is taken for the worst that it could mean, or the verdict names the key.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
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
#include "support/environment.hpp"

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

/// By leaving out such a key a file says something that no assumption repeats.
auto is_claimed(const std::string& key) -> bool {
  return std::ranges::any_of(takt::program::defaults(), [&](const takt::program::default_row& row) {
    return row.key == key && row.effect == takt::program::when_missing::claimed;
  });
}

void collect(const json& v, const json::json_pointer& at, std::vector<place>& out) {
  if (v.is_object()) {
    for (const auto& [key, value] : v.items()) {
      if (key != "tasks" && key != "graphs" && !is_claimed(key)) { out.push_back({at, key}); }
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
       {"rtgpu --count 3", "rtgpu --count 2 --virtual-per-sm 1 --interleave 1", "blocks --tasks 3", "accelerator",
        "waves", "block-kernels", "overlapping", "gpusync", "hog", "applications"}) {
    CAPTURE(generator);
    std::istringstream lines{takt::test::takt("generate " + std::string{generator} + " --seed 7").out};
    int sets = 0;
    for (std::string line; std::getline(lines, line); ++sets) { check_left_out(json::parse(line), random, 10); }
    CHECK(sets > 0);
  }
}

TEST_CASE(
    "program: a file that leaves out the mark of an import claims to have all of its system, and few keys are claims") {
  json file = on_sms({{"sms", 8}, {"sharing", "isolated"}}, {{{{"work", "8ms"}}, "90ms"}});
  file["incomplete"] = json::array({{{"kind", "Interrupts"}, {"count", 2}, {"because", "they take processor time"}}});
  const answer marked = analyzed(file);
  CHECK(marked.status() != "schedulable");
  CHECK(is_claimed("incomplete"));
  CHECK_FALSE(is_claimed("acknowledged"));
  file["acknowledged"] = json::array({"Interrupts"});
  const answer acknowledged = analyzed(file);
  CHECK(acknowledged.status() == "schedulable");
  CHECK(flattered(acknowledged, marked, "acknowledged") == "");
  file.erase("acknowledged");
  file.erase("incomplete");
  CHECK(flattered(marked, analyzed(file), "incomplete") != "");
  std::set<std::string_view> claims;
  for (const auto& row : takt::program::defaults()) {
    if (row.effect == takt::program::when_missing::claimed) { claims.insert(row.key); }
  }
  CHECK(claims == std::set<std::string_view>{"incomplete", "reaction", "age"});
}

namespace {

/// A job of a run, all of whose work is the GPU's.
struct gpu_job {
  std::int64_t release = 0;
  std::int64_t deadline = 0;
  std::int64_t work = 0;
};

/// By how much the jobs that lie in some window exceed what the GPU does in it, at so much work a nanosecond. Windows
/// from a release to a deadline are the tightest. Negative where each of them has time left.
auto excess(std::vector<gpu_job> jobs, std::int64_t rate) -> std::int64_t {
  std::ranges::sort(jobs, {}, &gpu_job::deadline);
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (const gpu_job& first : jobs) {
    std::int64_t sum = 0;
    for (const gpu_job& j : jobs) {
      if (j.release < first.release) { continue; }
      sum += j.work;
      most = std::max(most, sum - rate * (j.deadline - first.release));
    }
  }
  return most;
}

enum class release_kind : std::uint8_t { sporadic, late, strict };
constexpr std::array release_kinds{release_kind::sporadic, release_kind::late, release_kind::strict};

struct loaded_task {
  std::int64_t period = 0;
  std::int64_t deadline = 0;
  std::int64_t jitter = 0;
  std::int64_t offset = 0;
  std::int64_t work = 0;  ///< of the SMs, or of their threads where the kernel says blocks
  json kernel;
};

/// Chains around kernels that say their work and no ratio, or blocks that are as long beside any others.
struct random_load {
  static constexpr std::int64_t threads_per_sm = 1024;
  static constexpr std::int64_t horizon = 150 * ms;

  release_kind kind;
  bool of_blocks;
  std::int64_t sms;
  std::vector<loaded_task> tasks{};

  random_load(takt::random_stream& r, release_kind how, bool blocks)
      : kind{how}, of_blocks{blocks}, sms{1 + r.below(3)} {
    const std::int64_t count = 1 + r.below(3);
    const std::int64_t fill = r.chance(1, 2) ? 1 : 3;
    for (std::int64_t i = 0; i < count; ++i) {
      loaded_task t{.period = (4 + r.below(20)) * ms, .kernel = {}};
      t.deadline = t.period - r.below(t.period / 3);
      t.jitter = kind == release_kind::late ? r.below(t.deadline / 4) : 0;
      t.offset = kind == release_kind::strict ? r.below(t.period) : 0;
      const std::int64_t time = 1 + r.below((t.deadline - t.jitter) * sms * fill / count);
      if (of_blocks) {
        const std::int64_t number = 1 + r.below(6 * sms);
        const std::int64_t threads = 32 * (1 + r.below(32));
        const std::int64_t length = 1 + time * threads_per_sm / (number * threads);
        t.work = number * threads * length;
        t.kernel = {{"blocks", number}, {"threads_per_block", threads}, {"length", length}};
      } else {
        t.work = time;
        t.kernel = {{"work", time}};
      }
      tasks.push_back(std::move(t));
    }
  }

  /// Under "gel" every step says its point.
  [[nodiscard]] auto file(std::int64_t per_sm, bool with_points = false) const -> json {
    json gpu{{"sms", sms},          {"virtual_per_sm", per_sm}, {"threads_per_sm", threads_per_sm},
             {"blocks_per_sm", 32}, {"context_switch", 0},      {"preemption_levels", 2}};
    json out{{"format", "takt/1"},
             {"platform",
              {{"cpus", {{"count", 4}}}, {"copy_engines", {{"count", 1}}}, {"gpus", json::array({std::move(gpu)})}}}};
    if (with_points) { out["platform"]["cpus"]["policy"] = "gel"; }
    for (const loaded_task& t : tasks) {
      json task{{"name", "t" + std::to_string(out["tasks"].size())}, {"period", t.period}, {"deadline", t.deadline}};
      if (t.jitter > 0) { task["jitter"] = t.jitter; }
      if (kind == release_kind::strict) { task.update({{"strict", true}, {"offset", t.offset}}); }
      task["segments"] = {{{"cpu", 1000}}, {{"kernel", t.kernel}}, {{"cpu", 1000}}};
      if (with_points) {
        json nodes;
        for (json step : task["segments"]) {
          step.update({{"name", "n" + std::to_string(nodes.size())}, {"priority_point", t.deadline}});
          nodes.push_back(std::move(step));
        }
        task.erase("segments");
        task.update({{"nodes", nodes}, {"edges", {{{"from", "n0"}, {"to", "n1"}}, {{"from", "n1"}, {"to", "n2"}}}}});
      }
      out["tasks"].push_back(std::move(task));
    }
    return out;
  }

  /// Work that the GPU does a nanosecond: that of one SM that nobody gains by sharing, or the threads it holds.
  [[nodiscard]] auto rate() const -> std::int64_t { return of_blocks ? sms * threads_per_sm : sms; }

  /// All released together and as early again as may be, the first of each as late as may be. No run has more to do
  /// from 0 on, where releases are not strict.
  [[nodiscard]] auto densest_run() const -> std::vector<gpu_job> {
    std::vector<gpu_job> out;
    for (const loaded_task& t : tasks) {
      for (std::int64_t nominal = t.offset - t.jitter; nominal < horizon; nominal += t.period) {
        out.push_back({std::max(nominal, t.offset), nominal + t.deadline, t.work});
      }
    }
    return out;
  }
  /// A run that the file allows.
  [[nodiscard]] auto random_run(takt::random_stream& r) const -> std::vector<gpu_job> {
    std::vector<gpu_job> out;
    for (const loaded_task& t : tasks) {
      const bool waits = kind != release_kind::strict;
      std::int64_t nominal = waits ? r.below(t.period) : t.offset;
      while (nominal < horizon) {
        out.push_back({nominal + r.below(t.jitter + 1), nominal + t.deadline, t.work});
        nominal += t.period + (waits && r.chance(1, 2) ? r.below(t.period) : 0);
      }
    }
    return out;
  }
  /// Whether some run leaves more work in a window than the GPU does until its end.
  [[nodiscard]] auto is_beyond_all_sms(takt::random_stream& r) const -> bool {
    bool found = excess(densest_run(), rate()) > 0;
    for (int i = 0; i < 8 && !found; ++i) { found = excess(random_run(r), rate()) > 0; }
    return found;
  }
};

auto compared(const json& file, const std::string& options = {}) -> json {
  return object(takt::test::takt("compare " + write("load.json", file.dump()) + " --json" + options)).at("rows");
}

/// "levels under edf" of each proven row.
auto proven_of(const json& rows) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const json& row : rows) {
    if (row.at("status") != "schedulable") { continue; }
    const std::string policy = row.at("policy");  // "tokens-k-fmlp:2"
    out.push_back(policy.substr(0, policy.find(':')) + " under " + row.at("cpus").get<std::string>());
  }
  return out;
}

/// The rules of processors of some file of many: so many of them, and after a few files all of them.
auto some_cpu_rules(std::uint64_t file, std::size_t many) -> std::string {
  const auto words = takt::program::choices::cpu_policy.words();
  std::string out;
  for (std::size_t i = 0; i < many; ++i) {
    const std::string_view word = words[(file * many + i) % words.size()];
    if (word != "gel") { out.append(out.empty() ? "" : ",").append(word); }  // a file says its points, or none
  }
  return out;
}

/// Whether each rule of processors proves something, and each policy.
void check_all_prove(const std::set<std::string>& rows) {
  const auto some = [&](const auto& is_one) { return std::ranges::any_of(rows, is_one); };
  for (const std::string_view rule : takt::program::choices::cpu_policy.words()) {
    const std::string end = " under " + std::string{rule};
    CAPTURE(end);
    CHECK(some([&](const std::string& row) { return row.ends_with(end); }));
  }
  for (const char* const policy :
       {"federated", "federated-shared", "whole-gpu", "busy-waiting", "time-sliced", "fifo-blocks", "tokens-k-fmlp",
        "tokens-r2dglp", "tokens-ck-omlp", "levels", "slots", "gang", "shares"}) {
    const std::string begin = std::string{policy} + " under ";
    CAPTURE(begin);
    CHECK(some([&](const std::string& row) { return row.starts_with(begin); }));
  }
}

}  // namespace

TEST_CASE("program: work beyond all SMs is found in the window where it is, and nothing else is") {
  CHECK(excess({{5, 15, 6}, {7, 16, 6}}, 1) == 1);  // 12 in [5, 16], though [0, 16] has room
  CHECK(excess({{5, 15, 6}, {7, 16, 6}}, 2) == -10);
  CHECK(excess({{0, 10, 3}, {100, 110, 11}}, 1) == 1);
  CHECK(excess({{0, 10, 10}, {10, 20, 10}}, 1) == 0);
  CHECK(excess({{0, 20, 10}, {2, 12, 10}}, 1) == 0);  // 20 in [0, 20], 10 in [2, 12]
}

TEST_CASE("program: runs of a load keep to what its file says of releases") {
  auto random = takt::random_stream{5};
  for (const release_kind kind : release_kinds) {
    random_load load{random, kind, false};
    load.tasks.resize(1);
    const loaded_task t = load.tasks.front();
    for (const auto& run : {load.densest_run(), load.random_run(random)}) {
      REQUIRE(run.size() > 3);
      for (std::size_t i = 0; i < run.size(); ++i) {
        const std::int64_t nominal = run[i].deadline - t.deadline;
        CHECK(run[i].release >= nominal);
        CHECK(run[i].release <= nominal + t.jitter);
        if (kind == release_kind::strict) { CHECK((nominal - t.offset) % t.period == 0); }
        if (i > 0) { CHECK(run[i].deadline - run[i - 1].deadline >= t.period); }
      }
    }
  }
}

TEST_CASE("program: no policy proves more work of kernels than the SMs have time for") {
  constexpr std::uint64_t few = 30;
  const std::uint64_t files = takt_tests::from_environment("TAKT_SYSTEMS", few);
  auto random = takt::random_stream{11};
  std::set<std::string> proven;
  std::map<release_kind, int> beyond;
  for (std::uint64_t i = 0; i < files; ++i) {
    const release_kind kind = release_kinds[i % release_kinds.size()];
    const random_load load{random, kind, i % 4 == 3};
    const auto per_sm = 1 + static_cast<std::int64_t>(i / 3 % 3);
    const bool is_beyond = load.is_beyond_all_sms(random);
    beyond[kind] += is_beyond ? 1 : 0;
    json rows = compared(load.file(per_sm), " --cpus " + some_cpu_rules(i, 4));
    if (load.of_blocks) {
      for (const json& row : compared(load.file(per_sm, true))) { rows.push_back(row); }
    }
    for (const std::string& row : proven_of(rows)) {
      INFO(load.file(per_sm).dump());
      INFO(row);
      CHECK_FALSE(is_beyond);
      proven.insert(row);
    }
  }
  if (files < few) { return; }
  for (const release_kind kind : release_kinds) { CHECK(beyond[kind] > 2); }
  check_all_prove(proven);
}

TEST_CASE("program: kernels that are counted as if two on one SM slowed nobody down are found out") {
  auto random = takt::random_stream{12};
  std::set<std::string> found_out;
  for (int i = 0; i < 12; ++i) {
    const random_load load{random, release_kinds[static_cast<std::size_t>(i) % release_kinds.size()], false};
    if (!load.is_beyond_all_sms(random)) { continue; }
    json file = load.file(2);
    for (json& task : file["tasks"]) { task["segments"][1]["kernel"]["interleave"] = 1; }
    for (const std::string& row : proven_of(compared(file))) { found_out.insert(row.substr(0, row.find(' '))); }
  }
  for (const char* const policy : {"federated", "federated-shared", "whole-gpu", "busy-waiting", "time-sliced",
                                   "tokens-k-fmlp", "tokens-r2dglp", "levels", "gang", "shares"}) {
    CAPTURE(policy);
    CHECK(found_out.contains(policy));
  }
}
