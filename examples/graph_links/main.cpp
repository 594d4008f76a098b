// SPDX-License-Identifier: Apache-2.0
// Two processes of one processing graph: a camera sends frames line by line, and a detector looks at windows of lines.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <takt/systems/graphs/run/links/shared_graph.hpp>

namespace {
namespace rt = takt::runtime;

constexpr std::int64_t line = 64;  // bytes of a token
constexpr std::int64_t frames = 25;

auto limit() -> takt::ticks { return rt::now() + takt::ticks{20} * 1'000'000'000; }
auto say(const rt::link_status& s) -> bool {
  if (!s) { std::cerr << s.sentence() << '\n'; }
  return static_cast<bool>(s);
}

auto camera(const std::string& name) -> int {
  const auto graph = rt::shared_graph<>::open(name, limit());
  if (!say(graph.status())) { return 1; }
  auto node = graph.claim("camera");
  if (!say(node.status()) || !say(node.bind_all(limit()))) { return 1; }
  for (std::int64_t frame = 0; frame < frames; ++frame) {
    if (!say(node.begin_job(limit()))) { return 1; }
    std::ranges::fill(node.to_send("lines"), static_cast<std::byte>(frame));
    if (!say(node.finish_job(limit()))) { return 1; }
  }
  return 0;
}

// excerpt: detector
auto detector(const rt::shared_graph<>& graph) -> int {
  auto node = graph.claim("detector");
  if (!say(node.status()) || !say(node.bind_all(limit()))) { return 1; }
  // 8 lines come per frame; each job goes 4 lines on and looks at 6 of them.
  std::int64_t changes = 0;
  for (std::int64_t job = 0; job < 2 * frames - 1; ++job) {
    if (!say(node.begin_job(limit()))) { return 1; }
    const auto window = node.received("lines");
    if (window.front() != window.back()) { ++changes; }
    if (!say(node.finish_job(limit()))) { return 1; }
  }
  std::cout << 2 * frames - 1 << " windows, " << changes << " of them across frames\n";
  return changes == frames - 1 ? 0 : 1;
}
// end of excerpt
}  // namespace

auto main() -> int {
  const std::string name = "camera-" + std::to_string(getpid());
  // excerpt: create
  const auto graph = rt::shared_graph<>::create({.name = name,
                                                 .nodes = {"camera", "detector"},
                                                 .edges = {{.name = "lines",
                                                            .from = "camera",
                                                            .to = "detector",
                                                            .produce = 8,
                                                            .consume = 4,
                                                            .threshold = 6,
                                                            .token_bytes = line,
                                                            .over = rt::shared_ring{.capacity = 32 * line}}}});
  if (!say(graph.status())) { return 1; }
  // end of excerpt
  const pid_t child = fork();
  if (child == 0) { _exit(camera(name)); }
  const int seen = child > 0 ? detector(graph) : 1;
  int status = 1;
  if (child > 0) { (void)waitpid(child, &status, 0); }
  return say(rt::shared_graph<>::remove(name)) && seen == 0 && status == 0 ? 0 : 1;
}
