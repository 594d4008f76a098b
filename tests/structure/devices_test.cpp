// SPDX-License-Identifier: Apache-2.0
// Compiles and analyses every platform of docs/devices.md, which has it word for word.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <takt/kernels.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include "support/traces.hpp"

namespace {

using namespace takt::literals;

constexpr auto with_copies = takt::task_set(
    takt::task("camera", takt::period(33_ms), takt::cpu(1_ms, 2_ms), takt::copy(1_ms, 1_ms),
               takt::kernel(takt::work(4_ms, 8_ms), takt::interleave(1)), takt::copy(1_ms, 1_ms), takt::cpu(1_ms)),
    takt::task("control", takt::period(20_ms), takt::cpu(1_ms)));
constexpr auto without_copies =
    takt::task_set(takt::task("camera", takt::period(33_ms), takt::cpu(1_ms, 2_ms),
                              takt::kernel(takt::work(4_ms, 8_ms), takt::interleave(1)), takt::cpu(1_ms)),
                   takt::task("control", takt::period(20_ms), takt::cpu(1_ms)));
constexpr auto whole_kernels = takt::task_set(takt::task("detect", takt::period(33_ms), takt::kernel(takt::wcet(6_ms))),
                                              takt::task("track", takt::period(20_ms), takt::kernel(takt::wcet(3_ms))));

template <class Board, class Tasks>
[[nodiscard]] constexpr auto proven(const Board& board, const Tasks& tasks) -> bool {
  return takt::analysis::analyze_by<takt::published>(board, tasks).schedulable();
}

struct described_class {
  std::string_view title;
  std::string_view platform;
  bool proven = false;
};

/// The text of the platform, and whether the tasks are proven on it.
#define DESCRIBED(title, tasks, ...) \
  described_class { title, #__VA_ARGS__, proven(__VA_ARGS__, tasks) }

// clang-format off
constexpr described_class classes[] = {
    DESCRIBED("Discrete GPUs with copy engines", with_copies,
              takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                             takt::pool(takt::copy_engines(2), takt::nonpreemptive(takt::fixed_priority)),
                             takt::pool(takt::virtual_sms(46, 2), takt::federated))),
    DESCRIBED("Boards with an integrated GPU and copy engines", with_copies,
              takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                             takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                             takt::pool(takt::virtual_sms(8, 2), takt::federated))),
    DESCRIBED("Integrated GPUs without copies", without_copies,
              takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                             takt::pool(takt::virtual_sms(8, 2), takt::federated))),
    DESCRIBED("Embedded GPUs behind a driver's queue", without_copies,
              takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                             takt::pool(takt::virtual_sms(4, 1), takt::serialized(takt::whole_gpu)))),
    DESCRIBED("Accelerators that run whole jobs", whole_kernels,
              takt::platform(takt::pool(takt::accelerator(2, 1), takt::nonpreemptive(takt::edf)))),
    DESCRIBED("Accelerators that run whole jobs", whole_kernels,
              takt::platform(takt::pool(takt::accelerator(2, 3), takt::levels(takt::edf)))),
};
// clang-format on
#undef DESCRIBED

[[nodiscard]] auto without_spaces(std::string_view text) -> std::string {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out),
                       [](char c) { return std::isspace(static_cast<unsigned char>(c)) == 0; });
  return out;
}

struct code_block {
  std::string title;  ///< of the section of the third level that it stands in
  std::string text;
};

[[nodiscard]] auto code_blocks(const std::string& document) -> std::vector<code_block> {
  std::vector<code_block> out;
  const std::string fence = "```cpp\n";
  for (auto open = document.find(fence); open != std::string::npos; open = document.find(fence, open + 1)) {
    const auto begin = open + fence.size();
    const auto end = document.find("```", begin);
    const auto heading = document.rfind("\n### ", open);
    const auto title = heading + 5;
    out.push_back({heading == std::string::npos ? "" : document.substr(title, document.find('\n', title) - title),
                   without_spaces(document.substr(begin, end - begin))});
  }
  return out;
}

[[nodiscard]] auto devices_text() -> std::string {
  std::ifstream in{std::string{TAKT_SOURCE_DIR} + "/docs/devices.md"};
  REQUIRE(in);
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

TEST_CASE("a code block belongs to the section above it") {
  const auto blocks =
      code_blocks("# T\n```cpp\na\n```\n### One\n```cpp\nb (1,\n  2)\n```\ntext\n### Two\n```cpp\nc\n```\n");
  REQUIRE(blocks.size() == 3);
  CHECK(blocks[0].title.empty());
  CHECK(blocks[1].title == "One");
  CHECK(blocks[1].text == "b(1,2)");
  CHECK(blocks[2].title == "Two");
}

TEST_CASE("each class of devices in the documentation has a platform that compiles and proves tasks" *
          takt_tests::traces("GSD-47")) {
  const std::vector<code_block> documented = code_blocks(devices_text());
  REQUIRE(documented.size() == std::size(classes));
  for (std::size_t i = 0; i < documented.size(); ++i) {
    CAPTURE(documented[i].title);
    CHECK(documented[i].title == classes[i].title);
    CHECK(documented[i].text == without_spaces(classes[i].platform));
    CHECK(classes[i].proven);
  }
}

TEST_CASE("the documentation names the facts to know and the devices that no platform describes" *
          takt_tests::traces("GSD-47")) {
  const std::string text = devices_text();
  for (const std::string_view fact : {"preemption", "engines", "queues", "interrupts", "memory", "clocks"}) {
    CAPTURE(fact);
    CHECK(text.find("\n| " + std::string{fact} + " | ") != std::string::npos);
  }
  for (const std::string_view device : {"Jetson", "Mali", "Adreno", "NPUs", "FPGA"}) {
    CAPTURE(device);
    CHECK(text.find(device) != std::string::npos);
  }
  CHECK(text.find("\n## What no platform describes\n") != std::string::npos);
  CHECK(takt::fault_of(takt::gpusync_configuration{.copy_engines = 0}) == takt::model_fault::none);
}

TEST_CASE("the documentation says why a second daemon for work items breaks the sporadic model" *
          takt_tests::traces("GSD-86")) {
  const std::string text = devices_text();
  const auto item = text.find("(a *work item*) is done by the same thread");
  REQUIRE(item != std::string::npos);
  CHECK(text.find("sporadic model", item) != std::string::npos);
}
