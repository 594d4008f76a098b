// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "../failure.hpp"
#include "read_board.hpp"
#include "read_tasks.hpp"
#include "words.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::int64_t most_ppm = 1'000'000'000;

/// The position of the task that a text names.
[[nodiscard]] auto task_named(const located& v, const workload_file& file) -> std::uint32_t {
  const std::string text = read_text(v, "the name of a task");
  std::vector<string_view> names;
  for (const described_task& t : file.tasks.tasks) { names.push_back(t.name); }
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) {
    throw input_error{
        v.where,
        fmt::format("{} is no task of this file, the nearest is \"{}\"", v.value->quoted(), nearest(text, names)),
        fmt::format("{}", fmt::join(names, ", "))};
  }
  return static_cast<std::uint32_t>(found - names.begin());
}

/// [slowed, by, parts per million] for pairs of tasks; an empty list says that none slows another one down.
void read_contention(const located& v, workload_file& out) {
  if (!v.is(json_value::kind::array)) { (void)require_array(v, "[slowed, by, parts per million]"); }
  auto& all = out.contention.emplace();
  for (std::size_t i = 0; i < v.value->items.size(); ++i) {
    const located entry = v.item(i);
    if (!entry.is(json_value::kind::array) || entry.value->items.size() != 3) {
      throw input_error{entry.where, "is no slow-down", "[slowed, by, parts per million]"};
    }
    const slow_down s{task_named(entry.item(0), out), task_named(entry.item(1), out),
                      static_cast<std::uint32_t>(read_integer(entry.item(2), 0, most_ppm))};
    if (s.slowed == s.by) { throw input_error{entry.where, "is of a task by itself", "two tasks"}; }
    all.push_back(s);
  }
}

void read_effect_chains(const located& v, workload_file& out) {
  const auto list = require_array(v, "one object per chain");
  for (std::size_t i = 0; i < list.value->items.size(); ++i) {
    const fields chain = words::members(list.item(i), words::chain);
    chain_facts c;
    c.name = read_name(chain, "the name of the chain");
    const auto tasks = require_array(chain.require("tasks", "the names of its tasks"), "the names of its tasks");
    for (std::size_t j = 0; j < tasks.value->items.size(); ++j) { c.tasks.push_back(task_named(tasks.item(j), out)); }
    if (const auto semantics = chain.find("semantics")) {
      c.semantics = words::read(semantics, words::chain_semantics);
    }
    if (const auto limit = chain.find("reaction")) { c.reaction = read_time_from(limit, 1); }
    if (const auto limit = chain.find("age")) { c.age = read_time_from(limit, 1); }
    out.chains.push_back(std::move(c));
  }
  out.notes.push_back(fmt::format("{}: limits of chains are not judged by this command", v.where));
}

/// Memory of tasks, which no GPU of the board can hold together.
void require_memory(const workload_file& file) {
  for (const gpu_hardware& gpu : file.board.gpus) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < file.tasks.size() && gpu.memory > 0 && file.board.gpus.size() == 1; ++i) {
      sum += file.tasks.tasks[i].memory;
      if (sum > gpu.memory) {
        throw input_error{step_into(file.task_at[i], "memory"),
                          fmt::format("{} bytes exceeds, with that of the tasks before it, the GPU's {} bytes",
                                      file.tasks.tasks[i].memory, gpu.memory),
                          "tasks that fit into the memory of the GPU together"};
      }
    }
  }
}

}  // namespace

auto read_workload(const json_value& document) -> std::unique_ptr<workload_file> {
  auto out = std::make_unique<workload_file>();
  const fields top = words::members({&document, ""}, words::top);
  out->name = read_head(top);
  const spelling how = spelling_of(document);
  const auto platform = top.require("platform", "an object with cpus, copy_engines, gpus");
  read_board(platform, how, *out);
  read_tasks(top, how, *out);
  if (const json_value* const gpus = platform.value->find("gpus")) {
    for (std::size_t g = 0; g < gpus->items.size(); ++g) {
      const auto* const contention = gpus->items[g].find("contention");
      const std::string at = step_into(step_into(step_into(platform.where, "gpus"), g), "contention");
      if (contention == nullptr) { continue; }
      if (out->contention) { throw input_error{at, "is said of two GPUs", "of one"}; }
      read_contention({contention, at}, *out);
    }
  }
  if (const auto chains = top.find("chains")) { read_effect_chains(chains, *out); }
  require_memory(*out);
  return out;
}

}  // namespace takt::program
