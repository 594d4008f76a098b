// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <takt/analysis/analyze_gpusync.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/simulation/gpusync/simulate.hpp>

#include "../failure.hpp"
#include "../kinds.hpp"
#include "gpusync_file.hpp"

namespace takt::program {

namespace {

using report::format_duration;
using sections_verdict = gpusync_verdict<file_sections>;

constexpr double most_requests = 300e3;
constexpr double most_traced_requests = 100e3;

struct named_time {
  std::string_view what;
  std::string_view words;
  ticks gpusync_terms::* member;
};
constexpr std::array<named_time, 8> term_names{
    {{"cpu", "of its own on a CPU", &gpusync_terms::cpu},
     {"kernels", "of its own kernels", &gpusync_terms::kernels},
     {"copies", "of its own copies", &gpusync_terms::copies},
     {"engine-wait", "waiting for engines that others use", &gpusync_terms::engine_wait},
     {"token-wait", "waiting for a token", &gpusync_terms::token_wait},
     {"loan", "while its priority is lent to a token holder", &gpusync_terms::loan},
     {"overheads", "of overheads and interrupts", &gpusync_terms::overheads},
     {"competition", "of competition for the CPUs of its cluster", &gpusync_terms::competition}}};

class gpusync_description final : public described_file {
 public:
  explicit gpusync_description(std::unique_ptr<gpusync_file> file) : file_{std::move(file)} {}

  [[nodiscard]] auto title() const -> std::string_view override { return file_->name; }
  [[nodiscard]] auto mark() const -> kind_mark override { return {"/platform/gpus/0/sharing", "tokens"}; }
  [[nodiscard]] auto offers(ability a) const -> bool override { return a == ability::sensitivity; }
  [[nodiscard]] auto decides_alone() const -> std::string_view override { return "locked GPUs"; }

  [[nodiscard]] auto platform_text() const -> std::string override;
  [[nodiscard]] auto verdict_table() const -> text_table override;
  [[nodiscard]] auto explain_task(std::size_t i) const -> std::string override;

  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size override;
  [[nodiscard]] auto longest_period() const -> ticks override { return longest_period_of(file_->table.tasks); }
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const
      -> std::optional<report::run_summary> override;
  [[nodiscard]] auto at_factor(permille factor, const question& q) const -> factor_answer override;
  [[nodiscard]] auto why_not_monotone() const -> std::string_view override {
    return "priority points follow execution times";
  }

 protected:
  [[nodiscard]] auto assess(const question& q) -> judgement override;
  void write_platform(report::json_writer& json) const override;
  void write_task_parts(report::json_writer& json, std::size_t task) const override;

 private:
  std::unique_ptr<gpusync_file> file_;
  std::unique_ptr<sections_verdict> found_;
};

auto gpusync_description::assess(const question& /*q*/) -> judgement {
  found_ = std::make_unique<sections_verdict>(analyze(file_->board, file_->table));
  if (found_->fault) { throw explain_fault(found_->fault); }
  if (found_->status == verdict_status::overflow) { throw explain_fault({gpusync_fault::time_overflow}); }
  judgement out{.analysis = std::string{found_->analysis}, .status = found_->status};
  bool all = true;
  for (std::uint32_t i = 0; i < found_->tasks.size(); ++i) {
    const auto& t = found_->tasks[i];
    const bool met = file_->limited[i] ? t.meets : t.bound.exists;
    out.tasks.push_back({std::string{t.name}, t.deadline, t.bound, met, file_->limited[i]});
    out.rows.push_back(i);
    all = all && met;
    if (t.bound.exists && !met) {
      out.findings.push_back(fmt::format("{}: the bound {} exceeds the deadline {}.", t.name,
                                         format_duration(t.bound.value), format_duration(t.deadline)));
    }
  }
  if (out.status == verdict_status::schedulable && !all) {
    out.status = verdict_status::not_proven;
    out.notes.emplace_back("every response is bounded, so no job is later than its bound");
  } else if (out.status != verdict_status::schedulable) {
    out.findings.emplace_back("No bounds are known: with all that jobs wait for, the CPUs are asked for too much.");
  }
  out.notes.insert(out.notes.end(), file_->notes.begin(), file_->notes.end());
  return out;
}

auto gpusync_description::platform_text() const -> std::string {
  const auto& c = file_->board.shape;
  const auto many = [](std::int32_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  return fmt::format("{} of {} ({}), {} of {} with {} each under {}, {} per GPU ({})",
                     many(c.cpu_clusters(), "cluster"), many(c.cpu_cluster_size, "core"), file_->policy,
                     many(c.gpu_clusters(), "cluster"), many(c.gpu_cluster_size, "GPU"),
                     c.limits_tokens() ? many(c.tokens_per_gpu, "token") : "any number of tokens",
                     c.protocol() == token_protocol::r2dglp ? "r2dglp" : "ck-omlp", many(c.copy_engines, "copy engine"),
                     c.engines == engine_order::first_come ? "fifo" : "priority");
}

auto gpusync_description::verdict_table() const -> text_table {
  text_table table{{"task", "cluster", "GPUs", "CPU ms", "GPU ms", "engine wait ms", "token wait ms", "deadline ms",
                    "bound ms", "meets"}};
  for (std::size_t i = 0; i < found_->tasks.size(); ++i) {
    const auto& t = file_->table.tasks[i];
    const auto& v = found_->tasks[i];
    const judged_task& j = judged().tasks[i];
    const gpusync_terms terms = v.bound.exists ? found_->terms(i) : gpusync_terms{};
    const auto time = [&v](ticks x) { return v.bound.exists ? in_milliseconds(x) : std::string{"-"}; };
    table.add({std::string{t.name}, fmt::format("{}", t.cpu_cluster),
               t.uses_gpu() ? fmt::format("{}", t.gpu_cluster) : "-", in_milliseconds(t.wcet),
               in_milliseconds(t.gpu_time()), time(terms.engine_wait), time(terms.token_wait), deadline_text(j),
               time(v.bound.value),
               !j.meets    ? "not proven"
               : j.limited ? "yes"
                           : "bounded"});
  }
  return table;
}

auto gpusync_description::explain_task(std::size_t i) const -> std::string {
  std::string out = described_file::explain_task(i);
  if (!found_->tasks[i].bound.exists) { return out; }
  const gpusync_terms terms = found_->terms(i);
  for (const named_time& n : term_names) {
    if (const ticks time = terms.*n.member; time != 0) {
      out += fmt::format("  {} {}\n", format_duration(time), n.words);
    }
  }
  return out;
}

void gpusync_description::write_platform(report::json_writer& json) const {
  const auto& c = file_->board.shape;
  json.key("platform").begin_object().key("cpus").begin_object().member("count", c.cpus);
  json.member("clusters", c.cpu_clusters()).member("policy", file_->policy).end_object();
  json.key("gpus").begin_array().begin_object().member("sharing", "tokens").member("count", c.gpus);
  json.member("clusters", c.gpu_clusters()).member("tokens_per_gpu", c.tokens_per_gpu);
  json.member("protocol", c.protocol() == token_protocol::r2dglp ? "r2dglp" : "ck-omlp");
  json.member("engine_order", c.engines == engine_order::first_come ? "fifo" : "priority");
  json.member("uncontended", c.uncontended == uncontended_gpus::shared ? "shared" : "dedicated");
  json.member("copy_engines", c.copy_engines).member("dma_chunk", c.dma_chunk).end_object().end_array().end_object();
}

void gpusync_description::write_task_parts(report::json_writer& json, std::size_t task) const {
  json.key("terms").begin_array();
  if (found_->tasks[task].bound.exists) {
    const gpusync_terms terms = found_->terms(task);
    for (const named_time& n : term_names) {
      json.begin_object().member("what", n.what).member("by", found_->tasks[task].name);
      json.member("time", terms.*n.member).end_object();
    }
  }
  json.end_array();
}

auto gpusync_description::run_size_until(duration horizon) const -> run_size {
  double requests = 0;
  for (const auto& t : file_->table.tasks) {
    const auto bytes =
        static_cast<double>(t.bytes_in) + static_cast<double>(t.bytes_out) + 2.0 * static_cast<double>(t.bytes_state);
    const double each =
        4.0 + static_cast<double>(t.kernels.size()) + bytes / static_cast<double>(file_->board.shape.dma_chunk);
    requests += each * static_cast<double>(horizon.count()) / static_cast<double>(t.period);
  }
  return {requests, "requests", most_requests, most_traced_requests};
}

auto gpusync_description::simulate(const simulation_options& options, trace* kept) const
    -> std::optional<report::run_summary> {
  gpusync_simulation_options how;
  how.horizon = options.horizon;
  how.releases = options.releases;
  how.execution = options.execution;
  how.seed = options.seed;
  no_trace unheard;
  const auto seen = kept != nullptr ? takt::simulate(file_->board, file_->table, how, *kept)
                                    : takt::simulate(file_->board, file_->table, how, unheard);
  switch (seen.fault) {
    case gpusync_run_fault::none: break;
    case gpusync_run_fault::model: throw explain_fault(seen.error);
    case gpusync_run_fault::time_overflow: return std::nullopt;
    case gpusync_run_fault::too_many_tokens:
      throw input_error{"/platform/gpus/0/tokens_per_gpu", "come to too many for a simulation",
                        "at most 256 in a cluster of GPUs"};
    default: throw environment_error{"the simulation stopped: this is a fault of takt, please report it"};
  }
  report::run_summary out;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = seen.tasks[i];
    const ticks mean = t.completed > 0 ? t.total_response / t.completed : 0;
    out.tasks.push_back({std::string{t.name}, static_cast<std::uint64_t>(t.completed),
                         file_->limited[i] ? static_cast<std::uint64_t>(t.misses) : 0, t.worst_response, mean,
                         judged().tasks[i].bound});
  }
  return out;
}

auto gpusync_description::at_factor(permille factor, const question& /*q*/) const -> factor_answer {
  const auto scaled = std::make_unique<file_sections>(file_->table);
  for (auto& t : scaled->tasks) {
    bool fits = scale_time(t.wcet, factor, true, t.wcet) &&
                scale_time(t.cpu_in_gpu_section, factor, true, t.cpu_in_gpu_section);
    for (ticks& kernel : t.kernels) { fits = fits && scale_time(kernel, factor, true, kernel); }
    if (!fits) { return factor_answer::not_proven; }
  }
  const auto v = std::make_unique<sections_verdict>(analyze(file_->board, *scaled));
  bool all = v->status == verdict_status::schedulable;
  for (std::size_t i = 0; all && i < v->tasks.size(); ++i) { all = v->tasks[i].meets || !file_->limited[i]; }
  return all ? factor_answer::proven : factor_answer::not_proven;
}

[[nodiscard]] auto read(const json_value& document) -> std::unique_ptr<described_file> {
  return std::make_unique<gpusync_description>(read_gpusync(document));
}

}  // namespace

const file_kind gpusync_kind{is_gpusync_document, read};

}  // namespace takt::program
