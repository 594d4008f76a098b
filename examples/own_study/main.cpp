// SPDX-License-Identifier: Apache-2.0
// A study of one's own: how many random sets of two tasks each of two analyses proves, over their utilization.
#include <iostream>
#include <vector>

#include <takt/generation/uunifast.hpp>
#include <takt/study.hpp>
#include <takt/takt.hpp>

using namespace takt::studies;

constexpr auto by_priority = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
constexpr auto by_deadline = takt::platform(takt::pool(takt::processors(1), takt::edf));

/// Two tasks whose demand is so many thousandths of the processor.
auto draw(std::uint64_t seed, std::uint64_t number, std::int64_t level) {
  takt::random_stream random{takt::random_stream{seed}.next() ^ number};
  takt::inline_vector<takt::ticks, 2> millionths;
  (void)takt::generation::uunifast(random, level * 1000, 2, millionths);
  const auto one = [&](const char* name, takt::ticks share) {
    const takt::duration milliseconds{random.between(10, 100)};
    return takt::task(name, takt::period(milliseconds * 1'000'000), takt::cpu(milliseconds * share));
  };
  return takt::task_set(one("camera", millionths[0]), one("lidar", millionths[1]));
}

void fill(const settings& s, experiment& e) {
  e.add_panel("two tasks");
  e.add_series(2);
  e.draw(0, "fixed priorities", 0);
  e.draw(1, "earliest deadline first", 1, stroke::dashed);
  e.count = set_by_set([seed = s.seed()](const unit& u, std::int64_t set, row counts) {
    const auto tasks = draw(seed, u.number(set), u.level);
    counts[0] += takt::analyze(by_priority, tasks).schedulable() ? 1 : 0;
    counts[1] += takt::analyze(by_deadline, tasks).schedulable() ? 1 : 0;
  });
}

auto main() -> int {
  const layout shown{"Two random tasks", "utilization", "utilization", "proven (%)", {"tasks"}, {"priorities", "edf"}};
  const std::vector<parameter> all{{"seed", "1", "of everything that is drawn"},
                                   {"sets", "100", "task sets per level", 1, unit::most_sets},
                                   {"levels", "0.5..1.0/0.1", "utilization"}};
  const result found = run({"orders", "two orders of one processor", shown, all, fill}, settings{all});
  write_csv(std::cout, found);
  return found.counts.counts(0, 5)[1] == found.designed.sets ? 0 : 1;
}
