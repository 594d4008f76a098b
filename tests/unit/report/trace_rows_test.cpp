// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <takt/report/trace_rows.hpp>

namespace {

using takt::slice;
using takt::stage;
using takt::track;
using takt::unit_kind;
using takt::report::trace_rows;
using texts = std::vector<std::string>;

auto on(const track& where, std::uint32_t task = 0, takt::ticks start = 0, takt::ticks end = 1) -> slice {
  return {task, 0, 0, where, start, end};
}
auto sms(std::int32_t first, std::int32_t count, std::int32_t gpu = 0) -> track {
  return {stage::kernel, gpu, first, count};
}
auto names_of(const std::vector<slice>& slices) -> texts {
  const std::vector<std::string_view> names{"camera", "lidar"};
  texts out;
  const trace_rows rows{{slices, {}, names}};
  for (const auto& r : rows.rows()) { out.push_back(r.group + ": " + r.name); }
  return out;
}

TEST_CASE("rows have an SM once, whatever the ranges of kernels") {
  const std::vector<slice> slices{on(sms(0, 2)), on(sms(1, 1), 1, 1, 2), on(sms(0, 1), 1, 2, 3),
                                  on(sms(4, 3), 0, 1, 2)};
  CHECK(names_of(slices) == texts{"GPU 0: SM 0", "GPU 0: SM 1", "GPU 0: SMs 4-6"});
  const trace_rows rows{{slices, {}, {}}};
  using place = std::pair<std::size_t, std::size_t>;
  CHECK(rows.place_of(slices[0]) == place{0, 2});
  CHECK(rows.place_of(slices[1]) == place{1, 1});
  CHECK(rows.place_of(slices[2]) == place{0, 1});
  CHECK(rows.place_of(slices[3]) == place{2, 1});
}

TEST_CASE("rows of blocks are one where blocks share an SM or rows would be many, GPU by GPU") {
  CHECK(names_of({on(sms(0, 1)), on(sms(0, 1)), on(sms(3, 1)), on(sms(3, 1, 1))}) ==
        texts{"GPU 0: blocks at work", "GPU 1: SM 3"});
  std::vector<slice> many;
  for (std::int32_t i = 0; i < 16; ++i) { many.push_back(on(sms(i, 1))); }
  CHECK(names_of(many).size() == 16);
  many.push_back(on(sms(16, 1)));
  CHECK(names_of(many) == texts{"GPU 0: SMs at work"});
}

TEST_CASE("rows are cores, engines of boards and of GPUs, own resources, and GPUs as a whole, in parts or by share") {
  const auto gpu = [](unit_kind kind, std::int32_t index = 0) {
    return track{.where = stage::kernel, .gpu = 1, .index = index, .kind = kind};
  };
  const auto copy = [](unit_kind kind, std::int32_t of, std::int32_t index) {
    return track{.where = stage::copy, .gpu = of, .index = index, .kind = kind};
  };
  CHECK(names_of({on({stage::cpu, 0, 3, 1}), on(copy(unit_kind::copies_in, 1, 3)),
                  on(copy(unit_kind::copies_out, 0, 0)), on(copy(unit_kind::whole, 2, 5)),
                  on(copy(unit_kind::numbered, 0, 1)), on(copy(unit_kind::own_resource, 0, 2))}) ==
        texts{"CPU: core 3", "copy engines: engine 1", "copy engines: GPU 0 to host", "copy engines: GPU 1 from host",
              "copy engines: GPU 2", "own resources: unit 2"});
  CHECK(names_of({on(gpu(unit_kind::whole)), on(gpu(unit_kind::whole), 1)}) == texts{"GPU 1: all SMs"});
  CHECK(names_of({on(gpu(unit_kind::part, 0)), on(gpu(unit_kind::part, 7), 1)}) ==
        texts{"GPU 1: kernels of camera", "GPU 1: kernels of lidar"});
  CHECK(names_of({on(gpu(unit_kind::part, 0)), on(gpu(unit_kind::part, 0), 1)}) == texts{"GPU 1: part 0"});
  CHECK(names_of({on(gpu(unit_kind::share)), on(gpu(unit_kind::share), 1)}) ==
        texts{"GPU 1, by share: camera", "GPU 1, by share: lidar"});
}

}  // namespace
