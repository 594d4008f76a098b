// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>

#include "failure.hpp"
#include "files/words.hpp"
#include "files/workload_file.hpp"
#include "json_value.hpp"
#include "program.hpp"

namespace {

using takt::program::input_error;
using takt::program::workload_file;
using takt::test::contains;
using takt::test::read;
using takt::test::with;

auto file_of(const std::string& text) -> std::unique_ptr<workload_file> {
  try {
    return takt::program::read_workload(takt::program::parse_json(text));
  } catch (const input_error& e) {
    FAIL(takt::program::line_of(e) << "\n" << text);
    throw;
  }
}

auto printed(const workload_file& file) -> std::string {
  std::ostringstream out;
  takt::program::print_workload(out, file);
  return out.str();
}

/// What is said of a text; nothing where it is right.
auto refusal_of(const std::string& text) -> std::string {
  try {
    (void)takt::program::read_workload(takt::program::parse_json(text));
  } catch (const input_error& e) { return takt::program::line_of(e); }
  return {};
}

void check_same(const std::string& one, const std::string& other) {
  const auto a = file_of(one);
  const auto b = file_of(other);
  INFO(printed(*a));
  INFO(printed(*b));
  CHECK(takt::program::same_values(*a, *b));
}

void check_round_trip(const std::string& text) {
  const auto file = file_of(text);
  const std::string first = printed(*file);
  CAPTURE(first);
  const auto again = file_of(first);
  CHECK(takt::program::same_values(*file, *again));
  CHECK(printed(*again) == first);
}

/// One file with everything in it.
constexpr std::string_view everything = R"({
  "format": "takt/1", "name": "all \"facts\"", "notes": ["made up", "for a test"],
  "platform": {
    "cpus": { "cores": [{ "name": "c0", "type": "A57" }, { "name": "c1", "speed": 1 }], "policy": "fixed-priority" },
    "copy_engines": { "count": 2, "policy": "fifo" },
    "gpus": [{ "sms": 10, "threads_per_sm": 2048, "blocks_per_sm": 16, "warp_size": 64, "granularity": 2, "speed": 1.5, "memory": 4096,
               "preemption_levels": 2, "context_switch": 0, "count": 2, "sharing": "tokens", "protocol": "k-fmlp",
               "tokens_per_gpu": 2, "copy_model": { "setup": "10us", "bytes_per_us": 12000, "chunk": 65536 },
               "contention": [["camera", "fusion", 50]] }],
    "resources": [{ "name": "npu", "count": 2, "policy": "nonpreemptive-edf" }],
    "overheads": { "schedule": "3us" } },
  "tasks": [
    { "name": "camera", "period": "33ms", "deadline": "30ms", "jitter": "1ms", "offset": "2ms", "strict": true, "priority": 0, "core": 1, "memory": 77,
      "requests": 3, "segments": [
        { "cpu": ["1ms", "2ms"] },
        { "copy": { "bytes": 2073600, "direction": "to-device" }, "section": true },
        { "kernel": { "work": ["8ms", "12ms"], "overhead": "20us", "interleave": "9/5", "preemption_cost": 0,
                      "wcet_by_share": { "c100": "7ms", "fixed_permille": 200 }, "wcet": "8ms", "state": 0,
                      "time_on": ["9ms", ["4ms", "5ms"]], "blocks": 24, "threads_per_block": 512, "length": "1ms",
                      "width": "one-core", "core": 3, "context": 2, "slice": "1ms" }, "section": true, "launch": "5us", "await": "6us" },
        { "npu": "6ms" },
        { "copy": ["150us", "200us"], "direction": "to-host", "bytes": 8 } ] },
    { "name": "fusion", "period": "66ms", "deadline": null, "priority": 1,
      "nodes": [ { "name": "b", "segments": [{ "kernel": {} }, { "cpu": 4 }], "parallelism": 3 },
                 { "name": "a", "cpu": "2ms", "priority_point": "5ms" }, { "name": "c", "npu": 5 } ],
      "edges": [["a", "b"], ["a", "c"]], "history": [["b", "a", 2]] }
  ],
  "plan": { "cores": { "camera": 1 }, "sms": { "camera": 4, "fusion": 2 },
            "gpu": { "camera": 0, "fusion": 1 }, "percents": { "camera": 30, "fusion": 70 } },
  "chains": [{ "name": "see", "tasks": ["camera", "fusion"], "semantics": "let", "reaction": "200ms" }]
})";

/// A random workload of the one dialect.
auto random_text(takt::random_stream& random) -> std::string {
  const auto number = [&](takt::ticks most) { return std::to_string(random.between(1, most)); };
  const auto time = [&] {
    const takt::ticks lower = random.below(1000);
    const takt::ticks upper = lower + random.below(1000);
    return random.chance(1, 2) ? std::to_string(upper)
                               : "[" + std::to_string(lower) + ", " + std::to_string(upper) + "]";
  };
  const auto kernel = [&] {
    std::string out;
    const auto add = [&](const std::string& member) {
      if (random.chance(1, 2)) { out += (out.empty() ? "" : ", ") + member; }
    };
    add("\"work\": " + time());
    add("\"interleave\": \"" + std::to_string(random.between(5, 9)) + "/5\"");
    add("\"wcet\": " + std::to_string(random.between(500, 900)));
    add("\"preemption_cost\": " + number(500));
    add("\"time_on\": [" + time() + ", " + time() + "]");
    add("\"blocks\": " + number(99) + ", \"threads_per_block\": 64");
    add("\"length\": " + number(99));
    add("\"wcet_by_share\": [[100, " + number(99) + "], [" + number(99) + ", " + number(999) + "]]");
    add("\"state\": " + number(9));
    return "{ " + out + " }";
  };
  const auto step = [&] {
    const char* const section = random.chance(1, 3) ? ", \"section\": true" : "";
    switch (random.below(5)) {
      case 0: return "\"cpu\": " + time() + section;
      case 1: return "\"copy\": " + time() + ", \"direction\": \"to-host\"" + section;
      case 2: return "\"copy\": { \"bytes\": " + number(9999) + " }" + section;
      case 3: return "\"npu\": " + time() + section;
      default: return "\"kernel\": " + kernel() + section;
    }
  };
  const auto segments = [&] {
    std::string out;
    for (takt::ticks n = random.between(1, 4); n > 0; --n) { out += (out.empty() ? "{ " : ", { ") + step() + " }"; }
    return "\"segments\": [" + out + "]";
  };
  const auto nodes = [&] {
    const takt::ticks count = random.between(1, 5);
    std::string all;
    std::string edges;
    std::string history;
    for (takt::ticks i = 0; i < count; ++i) {
      const std::string name = "\"n" + std::to_string(i) + "\"";
      all += (i > 0 ? ", { \"name\": " : "{ \"name\": ") + name + ", " + (random.chance(1, 2) ? segments() : step()) +
             (random.chance(1, 4) ? ", \"parallelism\": " + number(4) : "") + " }";
      for (takt::ticks j = 0; j < count; ++j) {
        const std::string other = "\"n" + std::to_string(j) + "\"";
        // Edges lead from later nodes of the file to earlier ones, so that visits are not in its order.
        if (j > i && random.chance(1, 2)) { edges += (edges.empty() ? "[" : ", [") + other + ", " + name + "]"; }
        if (random.chance(1, 9)) {
          history += (history.empty() ? "[" : ", [") + name + ", " + other + ", " + number(3) + "]";
        }
      }
    }
    return "\"nodes\": [" + all + "], \"edges\": [" + edges + "], \"history\": [" + history + "]";
  };
  std::string tasks;
  for (takt::ticks n = random.between(1, 5); n > 0; --n) {
    const std::string deadline = random.chance(1, 5) ? "null" : number(9999);
    tasks += (tasks.empty() ? "{ \"name\": \"t" : ", { \"name\": \"t") + std::to_string(n) +
             "\", \"period\": " + number(99999) + (random.chance(1, 2) ? ", \"deadline\": " + deadline : "");
    tasks += ", " + (random.chance(1, 2) ? segments() : nodes()) + " }";
  }
  return R"({"format": "takt/1", "platform": {"cpus": {"count": 3, "policy": "edf"}, "copy_engines": {"count": 1},
    "resources": [{"name": "npu"}], "gpus": [{"sms": 8, "threads_per_sm": 1024, "sharing": "whole")" +
         std::string{random.chance(1, 2) ? ", \"copy_model\": {\"bytes_per_us\": 77, \"chunk\": 100}" : ""} +
         "}]}, \"tasks\": [" + tasks + "]}";
}

}  // namespace

TEST_CASE("files: what is printed reads as the same values, for every data file") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{TAKT_SOURCE_DIR "/examples/data"}) {
    if (entry.path().extension() != ".json") { continue; }
    CAPTURE(entry.path().string());
    check_round_trip(read(entry.path().string()));
    ++files;
  }
  CHECK(files >= 17);
  check_round_trip(std::string{everything});
}

TEST_CASE("files: what is printed reads as the same values, for random workloads") {
  takt::random_stream random{16};
  for (int i = 0; i < 400; ++i) { check_round_trip(random_text(random)); }
}

TEST_CASE("files: two files with one different value are not the same") {
  const std::string text{everything};
  const auto first = file_of(text);
  const std::pair<const char*, const char*> changes[] = {{"\"1ms\", \"2ms\"", "\"1ms\", \"3ms\""},
                                                         {"9/5", "8/5"},
                                                         {"\"length\": \"1ms\"", "\"length\": \"2ms\""},
                                                         {"\"state\": 0", "\"state\": 1"},
                                                         {"\"strict\": true", "\"strict\": false"},
                                                         {"\"offset\": \"2ms\"", "\"offset\": \"3ms\""},
                                                         {", \"state\": 0", ""},
                                                         {"\"context\": 2", "\"context\": 1"},
                                                         {"\"preemption_cost\": 0,", ""},
                                                         {"\"context_switch\": 0,", ""},
                                                         {"\"priority\": 1", "\"priority\": 2"},
                                                         {"[\"a\", \"c\"]", "[\"b\", \"c\"]"},
                                                         {"\"b\", \"a\", 2", "\"b\", \"a\", 3"},
                                                         {"\"schedule\": \"3us\"", "\"schedule\": \"4us\""},
                                                         {"\"tokens_per_gpu\": 2", "\"tokens_per_gpu\": 1"},
                                                         {"\"section\": true },", "\"section\": false },"},
                                                         {"\"fusion\", 50", "\"fusion\", 51"},
                                                         {"\"policy\": \"fifo\"", "\"policy\": \"nonpreemptive-edf\""},
                                                         {"\"200ms\"", "\"201ms\""}};
  for (const auto& [from, to] : changes) {
    CAPTURE(to);
    CHECK_FALSE(takt::program::same_values(*first, *file_of(with(text, from, to))));
  }
}

TEST_CASE("files: what a late system does is read, printed and refused where it is unknown") {
  const std::string text = R"({"format": "takt/1", "platform": {"cpus": {"count": 1}}, WORD"tasks": [{"name": "a",
    "period": 100, "segments": [{"cpu": 1}]}]})";
  const auto with_word = [&](const char* word) { return with(text, "WORD", word); };
  check_same(with_word(""), with_word(R"("on_late": "catch_up", )"));
  const auto newest = file_of(with_word(R"("on_late": "newest_only", )"));
  CHECK(newest->on_late == takt::late_handling::newest_only);
  CHECK_FALSE(takt::program::same_values(*newest, *file_of(with_word(""))));
  CHECK_FALSE(takt::program::same_values(*newest, *file_of(with_word(R"("on_late": "skip_late", )"))));
  CHECK(contains(refusal_of(with_word(R"("on_late": "newest", )")), "/on_late"));
}

TEST_CASE("files: graphs mean the same as tasks with nodes") {
  const std::string graphs =
      R"({"format": "takt/1", "platform": {"cpus": {"count": 2, "policy": "g-fl", "pipelined": true},
    "gpus": [{"sms": 2, "threads_per_sm": 1024, "sharing": "fifo-blocks"}]}, "graphs": [{"name": "g", "period": 100,
    "nodes": [{"name": "a", "kernel": {"blocks": 2, "threads_per_block": 8, "length": 5}, "launch": 1, "await": 2},
              {"name": "b", "copy": 4}], "edges": [["a", "b"]], "history": [["b", "a", 1]]}]})";
  const std::string nodes =
      R"({"format": "takt/1", "platform": {"cpus": {"count": 2, "policy": "g-fl", "pipelined": true},
    "gpus": [{"sms": 2, "threads_per_sm": 1024, "sharing": "fifo-blocks"}]}, "tasks": [{"name": "g", "period": 100,
    "deadline": null, "nodes": [{"name": "a", "segments": [{"cpu": 1},
      {"kernel": {"blocks": 2, "threads_per_block": 8, "length": 5}}, {"cpu": 2}]}, {"name": "b", "cpu": 4}],
    "edges": [["a", "b"]], "history": [["b", "a", 1]]}]})";
  check_same(graphs, nodes);
  check_same(with(graphs, "g-fl", "edf"), with(nodes, "g-fl", "g-edf"));
}

TEST_CASE("files: an edge with tokens of one rate is one with a lag") {
  const std::string plain = R"({"format": "takt/1", "platform": {"cpus": {"count": 1}}, "tasks": [{"name": "g",
    "period": 100, "nodes": [{"name": "a", "cpu": 1}, {"name": "b", "cpu": 4}], EDGES}]})";
  const auto edges = [&](const char* text) { return with(plain, "EDGES", text); };
  check_same(edges(R"("edges": [["a", "b"]])"),
             edges(R"("edges": [{"from": "a", "to": "b", "produce": 4, "threshold": 3, "consume": 4}])"));
  check_same(edges(R"("history": [["a", "b", 1]])"),
             edges(R"("edges": [{"from": "a", "to": "b", "produce": 4, "threshold": 4, "initial": 4}])"));
  check_same(edges(R"("history": [["a", "b", 2]])"),
             edges(R"("edges": [{"from": "a", "to": "b", "produce": 4, "threshold": 2, "initial": 9}])"));
  CHECK(contains(refusal_of(edges(R"("edges": [{"from": "a", "to": "b", "produce": 4, "consume": 2}])")),
                 "/tasks/0/edges/0/consume: 2 differs from the 4"));
  CHECK(contains(refusal_of(edges(R"("edges": [{"from": "a", "to": "b", "produce": 4, "threshold": 5}])")),
                 "/tasks/0/edges/0/threshold: 5 waits for later jobs of the other end: expected at most 4"));
}

TEST_CASE("files: token sections mean the same as segments that are of a section") {
  const std::string older = R"({"format": "takt/1", "platform": {"cpus": {"count": 2, "policy": "edf"}, "gpus": [{
    "sharing": "tokens", "copy_engines": 2, "dma": {"chunk": 1000, "to_device": {"setup": 3, "bytes_per_us": 1000},
    "to_host": {"bytes_per_us": 500}}}]}, "tasks": [{"name": "a", "period": 9999, "priority": 4, "cpu": 9,
      "gpu": {"kernels": [7, 8], "cpu_in_section": 1, "bytes_in": 2500, "bytes_out": 10, "bytes_state": 4}},
      {"name": "b", "period": 999, "priority": 4, "cpu": [2, 9]}]})";
  const std::string segments = R"({"format": "takt/1", "platform": {"cpus": {"count": 2, "policy": "g-edf"}, "gpus": [{
    "sharing": "tokens", "copy_engines": 2, "protocol": "r2dglp", "copy_model": {"chunk": 1000,
    "to_device": {"setup": 3, "bytes_per_us": 1000}, "to_host": {"bytes_per_us": 500}}}]}, "tasks": [
    {"name": "a", "period": 9999, "deadline": null, "priority": 0, "segments": [{"cpu": 5}, {"cpu": 1, "section": true},
      {"copy": 2509, "direction": "to-device", "bytes": 2500, "section": true},
      {"kernel": {"wcet": 7, "state": 4}, "section": true}, {"kernel": {"wcet": 8}, "section": true},
      {"copy": {"bytes": 10}, "direction": "to-host", "section": true}, {"cpu": 4}]},
    {"name": "b", "period": 999, "deadline": null, "priority": 1, "segments": [{"cpu": [2, 9]}]}]})";
  check_same(older, segments);
  const std::string shortest =
      with(with(older, "\"cpu\": 9,", "\"cpu\": [3, 9],"), "\"cpu_in_section\": 1", "\"cpu_in_section\": [1, 1]");
  check_same(shortest,
             with(with(with(segments, "{\"cpu\": 5}", "{\"cpu\": [2, 5]}"), "{\"cpu\": 4}", "{\"cpu\": [1, 4]}"),
                  "{\"cpu\": 1, ", "{\"cpu\": [1, 1], "));
  CHECK(contains(refusal_of(with(older, "[7, 8]", "[7, [2, 8]]")),
                 "/tasks/0/gpu/kernels/1: a says [2ns, 8ns], and no rule reads a shortest \"wcet\" of a kernel"));
  check_same(
      with(older, "\"edf\"", "\"rate-monotonic\""),
      with(with(with(segments, "g-edf", "g-rate-monotonic"), "\"deadline\": null,", ""), "\"deadline\": null,", ""));
}

TEST_CASE("files: the greater priority goes first on shares, and the lesser everywhere else") {
  const auto file = file_of(read(takt::test::data("shares-trio")));
  CHECK(file->tasks.tasks[0].priority < file->tasks.tasks[1].priority);
  CHECK(file->more[0].weight == 30);
}

TEST_CASE("files: keys and words are compared with all of the format, and choices that nothing uses are refused") {
  const std::string text{everything};
  const std::tuple<const char*, const char*, const char*> faults[] = {
      {"\"requests\"", "\"requsts\"", "/tasks/0/requsts: is not a key of this object, the nearest is \"requests\": "},
      {"\"requests\"", "\"bloks\"",
       "/tasks/0/bloks: is not a key of this object, the nearest is \"blocks\" of a kernel"},
      {"\"requests\"", "\"blocks\"",
       "/tasks/0/blocks: is a key of a kernel and not of a task: expected name, period, "},
      {"\"sharing\": \"tokens\"", "\"sharing\": \"foo\"",
       "\"time-sliced\", \"fifo-blocks\", \"levels\", \"slots\", \"gang\""},
      {"\"sharing\": \"tokens\"", "\"sharing\": \"g-edf\"",
       "\"g-edf\" is a policy of CPUs and not a way of sharing a GPU"},
      {"\"sharing\": \"tokens\"", "\"sharing\": \"gang\"",
       "/platform/gpus/0/protocol: says nothing about \"gang\" sharing: expected \"tokens\" sharing, or no such key"},
      {"\"protocol\": \"k-fmlp\",", "",
       "/platform/gpus/0/protocol: is missing: expected \"k-fmlp\", \"r2dglp\", \"ck-omlp\""},
      {"\"policy\": \"fixed-priority\"", "\"policy\": \"g-edf\"", "/tasks/0/core: says nothing under \"g-edf\""},
      {"\"core\": 1", "\"cluster\": 1", "/tasks/0/cluster: says nothing under \"fixed-priority\""},
      {"\"memory\": 77", "\"share\": 77",
       "/tasks/0/share: says nothing about \"tokens\" sharing: expected \"shares\" sharing"},
      {"\"name\": \"npu\"", "\"name\": \"cpu\"", "/platform/resources/0/name: \"cpu\" has a meaning already"},
      {"{ \"npu\": \"6ms\" }", "{ \"npu\": \"6ms\", \"cpu\": 1 }",
       "/tasks/0/segments/3/npu: is a second kind of one step"},
      {"{ \"npu\": \"6ms\" }", "{ \"nbu\": \"6ms\" }", "/tasks/0/segments/3/nbu: is not a key of this object"},
      {"\"npu\": 5 }", "\"npu\": 5, \"section\": 1 }",
       "/tasks/1/nodes/2/section: 1 is an integer: expected true or false"},
      {"[\"a\", \"b\"]", "[\"a\", \"b\"], [\"b\", \"a\"]",
       "/tasks/1/edges: form a cycle: expected no cycle, or a history edge"},
      {"\"fusion\", 50", "\"camera\", 50", "/platform/gpus/0/contention/0: is of a task by itself"},
      {"\"tasks\": [\"camera\",", "\"tasks\": [\"camra\",",
       "/chains/0/tasks/0: \"camra\" is no task of this file, the nearest is \"camera\""},
      {"\"bytes\": 2073600,", "", "/tasks/0/segments/1/copy/bytes: is missing: expected bytes, or a time"},
      {"\"core\": 3", "\"core\": 10",
       "/tasks/0/segments/2/kernel/core: 10 is out of range: expected an integer from 0 to 9"}};
  for (const auto& [from, to, line] : faults) {
    CAPTURE(std::string{to});
    const std::string found = refusal_of(with(text, from, to));
    CAPTURE(found);
    CHECK(contains(found, line));
  }
}

TEST_CASE("files: docs/files.md names every key of every object") {
  const std::string text = read(TAKT_SOURCE_DIR "/docs/files.md");
  for (const takt::program::object_keys& object : takt::program::all_objects()) {
    CAPTURE(object.what);
    for (const std::string_view key : object.keys) {
      CAPTURE(key);
      const std::string quoted{key};
      CHECK((contains(text, "`" + quoted + "`") || contains(text, "\"" + quoted + "\"")));
    }
  }
}

TEST_CASE("files: copies without a time take it from the copy model, rounded up") {
  const std::string text = R"({"format": "takt/1", "platform": {"cpus": {"count": 1}, "copy_engines": {"count": 1},
    "gpus": [{"sms": 1, "copy_model": {"setup": "10us", "bytes_per_us": 3}}]}, "tasks": [{"name": "a", "period": "1s",
    "segments": [{"copy": {"bytes": 100}}]}]})";
  CHECK(file_of(text)->tasks.visits[0].time == takt::interval<takt::ticks>{0, 10'000 + 33'334});
  const auto chunked = file_of(with(text, "\"bytes_per_us\": 3", "\"bytes_per_us\": 3, \"chunk\": 30"));
  CHECK(chunked->tasks.visits[0].time.upper == 3 * 20'000 + 10'000 + 3334);
  const auto unknown = file_of(with(text, ", \"copy_model\": {\"setup\": \"10us\", \"bytes_per_us\": 3}", ""));
  CHECK_FALSE(unknown->tasks.visits[0].known.has(takt::visit_fact::time));
}
