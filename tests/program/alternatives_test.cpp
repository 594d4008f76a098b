// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "failure.hpp"
#include "files/workload_file.hpp"
#include "json_value.hpp"
#include "program.hpp"

namespace {

using takt::program::workload_file;
using takt::test::contains;
using takt::test::with;
using takt::test::write;

auto read_text(const std::string& text) -> std::unique_ptr<workload_file> {
  return takt::program::read_workload(takt::program::parse_json(text));
}

/// A big core and two little ones; one task may use the GPU or a core.
constexpr std::string_view two_types = R"({"format": "takt/1",
  "platform": {"cpus": {"count": 3, "cores": [{"name": "b", "type": "big"}, {"type": "little"}, {"type": "little"}],
                        "policy": "fixed-priority"},
               "gpus": [{"sms": 2, "virtual_per_sm": 2, "sharing": "isolated"}]},
  "tasks": [{"name": "see", "period": "20ms", "core": 0, "variant": "gpu",
             "variants": [{"name": "gpu", "segments": [{"cpu": {"big": "1ms", "little": ["1ms", "2ms"]}},
                                                       {"kernel": {"work": "4ms", "interleave": 1}, "await": {"big": "2ms"}}]},
                          {"name": "cpu", "segments": [{"cpu": {"big": "8ms", "little": "11ms"}}]}]},
            {"name": "act", "period": "10ms", "core": 2,
             "nodes": [{"name": "a", "cpu": {"little": "3ms"}},
                       {"name": "b", "segments": [{"cpu": "1ms"}, {"cpu": {"big": "1ms", "little": "2ms"}}]}],
             "edges": [["a", "b"]]}]})";

auto times_of(const workload_file& file, std::size_t task) -> std::vector<std::int64_t> {
  std::vector<std::int64_t> out;
  for (std::uint32_t p = 0; p < file.tasks.tasks[task].visit_count; ++p) {
    const auto& v = file.tasks.visit(task, p);
    if (v.where == takt::resource_kind::processor) { out.push_back(v.time.upper / 1'000'000); }
  }
  return out;
}

struct fault {
  std::string_view from;
  std::string_view to;
  std::string_view line;
};

}  // namespace

TEST_CASE("alternatives: CPU times are those of the type of the task's core, in segments, nodes and around kernels") {
  const auto file = read_text(std::string{two_types});
  CHECK(times_of(*file, 0) == std::vector<std::int64_t>{1, 2});
  CHECK(times_of(*file, 1) == std::vector<std::int64_t>{3, 1, 2});
  CHECK(file->more[0].core_type == "big");
  CHECK(file->more[1].core_type == "little");
}

TEST_CASE("alternatives: a task is the variant that it names") {
  const auto file = read_text(with(std::string{two_types}, R"("variant": "gpu")", R"("variant": "cpu")"));
  CHECK(times_of(*file, 0) == std::vector<std::int64_t>{8});
  CHECK(file->more[0].variant == "cpu");
  const auto moved = read_text(
      with(with(std::string{two_types}, R"("variant": "gpu")", R"("variant": "cpu")"), R"("core": 0)", R"("core": 1)"));
  CHECK(times_of(*moved, 0) == std::vector<std::int64_t>{11});
}

TEST_CASE("alternatives: what is printed is bound to its core, and reads as the same values") {
  const auto file = read_text(std::string{two_types});
  std::ostringstream out;
  takt::program::print_workload(out, *file);
  const std::string text = out.str();
  CAPTURE(text);
  const auto again = read_text(text);
  CHECK(takt::program::same_values(*file, *again));
  CHECK(takt::program::is_bound_to_cores(*again));
  CHECK(contains(text, R"({"big":1000000})"));
  const auto plain = read_text(with(text, R"({"big":1000000})", "1000000"));
  CHECK(takt::program::same_values(*file, *plain));
}

TEST_CASE("alternatives: a single type is that of all tasks, wherever they are") {
  std::string text = with(std::string{two_types}, R"("type": "big")", R"("type": "little")");
  text = with(with(text, R"("core": 0, )", ""), R"("core": 2,)", "");
  for (const std::string_view time : {R"("big": "1ms", )", R"("big": "8ms", )", R"("big": "1ms", )"}) {
    text = with(text, time, "");
  }
  text = with(text, R"({"big": "2ms"})", R"({"little": "2ms"})");
  CHECK(times_of(*read_text(text), 0) == std::vector<std::int64_t>{2, 2});
  CHECK_FALSE(takt::program::is_bound_to_cores(*read_text(text)));
  CHECK(takt::test::takt("analyze " + write("a.json", with(text, "fixed-priority", "g-edf"))).code != 3);
}

TEST_CASE("alternatives: what cannot be meant is refused with the place and what is allowed") {
  for (
      const fault& f : {
          fault{
              R"("core": 0, )", "",
              R"(/tasks/0: see has times by the type of its core, and is on none: expected "core", which "takt plan" chooses)"},
          fault{
              R"("variant": "gpu",)", "",
              R"(/tasks/0/variants: has 2 variants, and none is chosen: expected "variant": one of gpu, cpu, which "takt plan" chooses)"},
          fault{R"("variant": "gpu")", R"("variant": "gp")",
                R"(/tasks/0/variant: "gp" is no variant of this task, the nearest is "gpu": expected gpu, cpu)"},
          fault{R"("core": 0)", R"("core": 1)",
                "/tasks/0/variants/0/segments/1/await: has no time on a core of type little: "
                "expected a core of another type, or a time for this one"},
          fault{
              R"({"little": "3ms"})", R"({"litle": "3ms"})",
              R"(/tasks/1/nodes/0/cpu/litle: "litle" is no type of a core of this board: expected one of big, little)"},
          fault{R"({"little": "3ms"})", "{}",
                "/tasks/1/nodes/0/cpu: has no time: expected a time for each type of core"},
          fault{R"({"little": "3ms"})", R"({"little": "3cm"})",
                R"(/tasks/1/nodes/0/cpu/little: "3cm" has an unknown unit: expected ns, us, ms or s)"},
          fault{R"("name": "cpu", "seg)", R"("name": "gpu", "seg)",
                "/tasks/0/variants/1/name: names an earlier variant too: expected a name of its own"},
          fault{R"("core": 0, )", R"("core": 0, "segments": [{"cpu": "1ms"}], )",
                "/tasks/0/segments: is a second body of one task: expected variants, or a body"},
          fault{R"("type": "little"}, {)", R"("type": "little", "speed": 2}, {)",
                "/platform/cpus/cores/1/speed: cores of several speeds have no analysis in this program yet: expected "
                R"(times by type: "cpu": {"little": "3ms", "big": "1ms"})"},
          fault{"fixed-priority", "g-edf",
                R"(/tasks/0: "g-edf" moves see between cores of types big, little: )"
                "expected a policy that keeps tasks on cores, or cores of one type"},
      }) {
    CAPTURE(f.to);
    const std::string path = write("a.json", with(std::string{two_types}, f.from, f.to));
    const auto o = takt::test::takt("analyze " + path);
    CHECK(o.code == 3);
    CHECK(o.err == path + ": " + std::string{f.line} + "\n");
  }
  const std::string path = write("a.json", std::string{two_types});
  const auto moved = takt::test::takt("analyze " + path + " --cpus g-edf");
  CHECK(moved.code == 3);
  CHECK(contains(moved.err, R"(--cpus: "g-edf" moves tasks between cores of different types)"));
}

TEST_CASE("alternatives: the options of tasks are their variants, and the cores that have all of their times") {
  const auto all = takt::program::options_of(takt::program::parse_json(two_types));
  REQUIRE(all.size() == 2);
  REQUIRE(all[0].bodies.size() == 2);
  CHECK(all[0].bodies[0].variant == "gpu");
  CHECK(all[0].bodies[0].cores == std::vector<std::int32_t>{0});
  CHECK(all[0].bodies[1].variant == "cpu");
  CHECK(all[0].bodies[1].cores == std::vector<std::int32_t>{0, 1, 2});
  REQUIRE(all[1].bodies.size() == 1);
  CHECK(all[1].bodies[0].variant.empty());
  CHECK(all[1].bodies[0].cores == std::vector<std::int32_t>{1, 2});
}
