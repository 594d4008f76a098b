// SPDX-License-Identifier: Apache-2.0
// Tasks come and go on a board whose set is always proven: each that asks gets a plan for all, or the reason why not.
#include <iostream>

#include <takt/allocation/admission.hpp>
#include <takt/compare.hpp>
#include <takt/report/admission_words.hpp>
#include <takt/report/explain.hpp>
#include <takt/systems/policies.hpp>

using namespace takt::literals;

constexpr auto board = [] {
  takt::hardware out{.processors = 1, .copy_engines = 1, .gpus = {}, .own = {}};
  out.gpus.unchecked_push_back({.sms = 8});
  return out;
}();

auto ask(auto& door, const auto& task) -> bool {
  const auto more = takt::to_runtime_tasks(takt::task_set(task)).tasks;
  const auto answer = door.join(more);
  std::cout << more.tasks[0].name << (answer.granted ? " is in. " : " is not let in, because ");
  if (answer.granted) {
    takt::explain(std::cout, door.proven().verdict);
  } else {
    auto asked = door.tasks();
    static_cast<void>(takt::append_tasks(more, asked));
    std::cout << takt::report::why_not_admitted(answer, asked) << '\n';
  }
  std::cout << '\n';
  return answer.granted;
}

auto main() -> int {
  auto door = takt::admit<8, 32, takt::published_judges>(takt::federated_policy{}, takt::fixed_priority, board);
  const auto camera = takt::task("camera", takt::period(33_ms), takt::cpu(4_ms), takt::copy(500_us),
                                 takt::kernel(takt::work(30_ms)), takt::cpu(1_ms));
  const auto lidar = takt::task("lidar", takt::period(50_ms), takt::cpu(3_ms), takt::copy(800_us),
                                takt::kernel(takt::work(45_ms)), takt::cpu(2_ms));
  const auto map = takt::task("map", takt::period(40_ms), takt::cpu(3_ms), takt::copy(1_ms),
                              takt::kernel(takt::work(125_ms)), takt::cpu(1_ms));
  const bool both = ask(door, camera) && ask(door, lidar);
  const bool too_much = ask(door, map);
  const bool left = door.leave("lidar").granted;
  std::cout << "lidar leaves.\n";
  return both && !too_much && left && ask(door, map) ? 0 : 1;
}
