// SPDX-License-Identifier: Apache-2.0
// `explain`, `draw`, `write_trace` and `write_constants`, of every kind of system.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include <takt/graphs.hpp>
#include <takt/report/comparison_report.hpp>
#include <takt/report/draw.hpp>
#include <takt/report/plan_constants.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/shares.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/explain.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/policies.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

using namespace takt::literals;

namespace {

constexpr auto chains =
    takt::task_set(takt::task("camera", takt::period(33_ms), takt::cpu(2_ms), takt::copy(500_us),
                              takt::kernel(takt::work(12_ms), takt::interleave(1)), takt::cpu(1_ms)),
                   takt::task("say \"hi\"", takt::period(5_ms), takt::cpu(700_us)));
constexpr auto by_method = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                          takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                          takt::pool(takt::virtual_sms(4, 2), takt::federated));
constexpr auto by_pools =
    takt::platform(takt::pool(takt::processors(2), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                   takt::pool(takt::virtual_sms(4, 2), takt::locked(takt::k_fmlp_order, 2)));
constexpr auto graphs = takt::graph_set(takt::graph(
    "video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
    takt::node("filter", takt::kernel(takt::grid(96, 256), takt::block_length(1_ms))), takt::edge("read", "filter")));
constexpr auto by_blocks = takt::platform(
    takt::pool(takt::processors(2), takt::g_fl),
    takt::pool(takt::block_slots(16, 2048, 32), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
constexpr auto applications = takt::application_set(
    takt::application("map", takt::period(1_s), takt::share_priority(2), takt::scaling_wcet(261_ms, 500)));
constexpr auto by_shares = takt::platform(takt::pool(takt::gpu_shares(), takt::shares()));

class scratch_file {
 public:
  explicit scratch_file(std::string_view name)
      : path_{std::filesystem::temp_directory_path() / ("takt-door-" + std::to_string(getpid()) + std::string{name})} {}
  scratch_file(const scratch_file&) = delete;
  auto operator=(const scratch_file&) -> scratch_file& = delete;
  ~scratch_file() { std::filesystem::remove(path_); }
  [[nodiscard]] auto path() const -> std::string { return path_.string(); }
  [[nodiscard]] auto text() const -> std::string {
    std::ifstream in{path_};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

 private:
  std::filesystem::path path_;
};

[[nodiscard]] auto has(const std::string& text, std::string_view part) -> bool {
  return text.find(part) != std::string::npos;
}

/// All that is told of a system has its first name, and is drawn and written with it.
template <class Board, class Tasks>
void check_told(const Board& board, const Tasks& tasks, std::string_view name, std::string_view drawn) {
  CAPTURE(name);
  const auto v = takt::analyze(board, tasks, takt::published_methods);
  REQUIRE_FALSE(v.error);
  takt::trace seen;
  const auto result = takt::simulate(board, tasks, v.plan, {.horizon = 100_ms}, seen);
  REQUIRE_FALSE(result.error);
  std::ostringstream whole;
  takt::explain(whole, board, tasks, v);
  CHECK(has(whole.str(), name));
  CHECK(has(whole.str(), v.method));
  std::ostringstream brief;
  takt::explain(brief, v);
  CHECK(has(brief.str(), "explain(out, board, tasks, verdict)"));
  std::ostringstream beside;
  takt::explain(beside, board, tasks, v, result);
  CHECK(has(beside.str(), name));
  CHECK(has(beside.str(), "no-miss"));
  const scratch_file picture{".svg"};
  takt::draw(picture.path(), board, tasks, seen, {.title = "a title"});
  CHECK(has(picture.text(), "a title"));
  CHECK(has(picture.text(), drawn));
  CHECK(has(picture.text(), "</svg>"));
  const scratch_file file{".json"};
  takt::write_trace(file.path(), board, tasks, seen);
  CHECK(has(file.text(), drawn));
}

}  // namespace

TEST_CASE("a verdict is explained, and a trace drawn and written, in one call for every kind of system") {
  check_told(by_method, chains, "camera", "camera");
  check_told(by_pools, chains, "camera", "camera");
  check_told(by_blocks, graphs, "video", "video.filter");
  check_told(by_shares, applications, "map", "map");
}

TEST_CASE("the explanation says what the plan decides, cores too") {
  std::ostringstream out;
  takt::explain(out, by_method, chains, takt::analyze(by_method, chains, takt::published_methods));
  CHECK(has(out.str(), "Plan: SMs: camera 1; cores: camera 1, say \"hi\" 0; priorities: camera 1, say \"hi\" 0."));
}

TEST_CASE("a file that cannot be written is an error with its name") {
  const takt::trace nothing;
  CHECK_THROWS_AS(takt::draw("/no/such/folder/x.svg", by_method, chains, nothing), std::system_error);
  CHECK_THROWS_WITH(takt::write_trace("/no/such/folder/x.json", by_method, chains, nothing),
                    doctest::Contains("/no/such/folder/x.json"));
}

TEST_CASE("a comparison is told and drawn in one call") {
  takt::hardware board{.processors = 2, .copy_engines = 1, .gpus = {}, .own = {}};
  board.gpus.unchecked_push_back({.sms = 4, .virtual_per_sm = 2});
  const auto table = takt::compare<takt::published_judges>(
      chains, board, takt::policies(takt::federated_policy{}, takt::fifo_blocks_policy{}));
  std::ostringstream out;
  takt::explain(out, board, chains, table);
  CHECK(has(out.str(), "federated (best)"));
  CHECK(has(out.str(), "fifo-blocks cannot be judged"));
  const scratch_file picture{".svg"};
  takt::draw(picture.path(), board, chains, table);
  CHECK(has(picture.text(), "federated"));
}

TEST_CASE("constants of a plan say what was decided, and -1 for the rest") {
  std::ostringstream out;
  takt::write_constants(out, "plan", by_method, chains, takt::analyze(by_method, chains, takt::published_methods));
  CHECK(has(out.str(), "namespace plan {"));
  CHECK(has(out.str(), "inline constexpr bool is_proven = true;"));
  CHECK(has(out.str(), "{\"camera\", 33000000, 33000000, 9500000, 1, 1, 0, 1, -1},"));
  CHECK(has(out.str(), "{\"say \\\"hi\\\"\", 5000000, 5000000, 700000, 0, 0, 0, 0, -1},"));
}

TEST_CASE("constants have the priorities of the proof, whichever rule made them, and none where jobs have their own") {
  struct npu {};
  const auto set = takt::task_set(takt::task("slow", takt::period(50_ms), takt::deadline(10_ms), takt::cpu(1_ms),
                                             takt::visit<npu>(takt::takes(1_ms))),
                                  takt::task("fast", takt::period(20_ms), takt::cpu(1_ms)),
                                  takt::task("even", takt::period(20_ms), takt::cpu(1_ms)));
  const auto constants = [&set](auto rule, const auto& tasks) {
    const auto board = takt::platform(takt::pool(takt::processors(1), rule), takt::pool(npu{}, takt::fifo));
    const auto v = takt::analyze(board, tasks, takt::published_methods);
    REQUIRE(v.schedulable());
    std::ostringstream out;
    takt::write_constants(out, "plan", board, tasks, v);
    std::string found;
    std::istringstream lines{out.str()};
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("    {\"")) { continue; }
      std::istringstream fields{line};
      std::string field;
      for (int k = 0; k < 6; ++k) { std::getline(fields, field, ','); }
      found += field;
    }
    return found;
  };
  CHECK(constants(takt::fixed_priority, set) == " 0 1 2");
  CHECK(constants(takt::nonpreemptive(takt::fixed_priority), set) == " 0 1 2");
  CHECK(constants(takt::rate_monotonic, set) == " 2 0 0");
  CHECK(constants(takt::edf, set) == " -1 -1 -1");
  const auto given = takt::task_set(
      takt::task("a", takt::period(50_ms), takt::priority(7), takt::cpu(1_ms), takt::visit<npu>(takt::takes(1_ms))),
      takt::task("b", takt::period(50_ms), takt::priority(3), takt::cpu(1_ms)));
  CHECK(constants(takt::fixed_priority, given) == " 7 3");
}
