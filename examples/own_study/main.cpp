// SPDX-License-Identifier: Apache-2.0
// A study of one's own: random sets of three tasks on one processor, and how many of them each of two analyses proves
// over their utilization. The table goes to standard output, the picture to the file that is named.
#include <cstddef>
#include <cstdint>
#include <iostream>

#include <takt/compose.hpp>
#include <takt/core/random.hpp>
#include <takt/generation/uunifast.hpp>
#include <takt/study.hpp>

namespace {
using namespace takt::studies;

constexpr auto by_priority = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
constexpr auto by_deadline = takt::platform(takt::pool(takt::processors(1), takt::edf));

/// Three tasks whose demand is so many thousandths of the processor.
auto draw(std::uint64_t seed, std::uint64_t number, std::int64_t level) {
  takt::random_stream random{takt::random_stream{seed}.next() ^ number};
  takt::inline_vector<takt::ticks, 3> shares;
  (void)takt::generation::uunifast(random, level * 1000, 3, shares);  // in millionths
  const auto one = [&](const char* name, takt::ticks share) {
    const takt::ticks period = random.between(10, 100) * 1'000'000;
    return takt::task(name, takt::period(takt::duration{period}),
                      takt::cpu(takt::duration{period / 1'000'000 * share}));
  };
  return takt::task_set(one("camera", shares[0]), one("lidar", shares[1]), one("plan", shares[2]));
}

void fill(const settings& s, experiment& e) {
  e.add_panel("three tasks");
  e.add_series(3);
  e.draw(0, "fixed priorities", 0);
  e.draw(1, "earliest deadline first", 1, stroke::dashed);
  e.count = set_by_set([seed = s.seed()](const unit& u, std::int64_t set, row counts) {
    const auto tasks = draw(seed, u.number(set), u.level);
    counts[0] += takt::analyze(by_priority, tasks).schedulable() ? 1 : 0;
    counts[1] += takt::analyze(by_deadline, tasks).schedulable() ? 1 : 0;
  });
}

const study orders{.name = "orders",
                   .about = "two orders of one processor",
                   .shown = {.title = "Three random tasks on one processor",
                             .level_name = "utilization",
                             .level_title = "utilization of the processor",
                             .share_title = "proven task sets (%)",
                             .keys = {"tasks"},
                             .columns = {"fixed_priority", "edf"}},
                   .parameters = {{"seed", "1", "of everything that is drawn"},
                                  {"sets", "100", "task sets per level", 1, unit::most_sets},
                                  {"levels", "0.5..1.0/0.1", "utilization"}},
                   .fill = fill};
}  // namespace

auto main(int argc, char** argv) -> int {
  const result found = run(orders, settings{orders.parameters});
  write_csv(std::cout, found);
  if (argc > 1) { draw_picture(found, argv[1]); }
  const auto at_most = found.counts.counts(0, 5);
  return at_most[1] == found.designed.sets && at_most[0] < at_most[1] ? 0 : 1;
}
