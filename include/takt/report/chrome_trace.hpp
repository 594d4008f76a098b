// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/job_intervals.hpp>
#include <takt/report/json.hpp>
#include <takt/report/text.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/report/trace_rows.hpp>
#include <takt/report/trace_view.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Writes the events of one trace. Perfetto takes processes and threads for groups and tracks; it ignores process 0.
class chrome_trace_writer {
 public:
  chrome_trace_writer(std::ostream& out, const trace_view& trace)
      : json_{out}, trace_{trace}, tasks_{task_count(trace)}, rows_{trace}, jobs_{views::jobs(trace)}, work_{trace} {}

  void write() {
    lay_out();
    json_.begin_object().member("displayTimeUnit", "ns").key("traceEvents").begin_array();
    name_tracks();
    write_jobs();
    write_tokens();
    write_pieces();
    write_shares();
    write_marks();
    json_.end_array().end_object().finish();
  }

 private:
  struct place {
    std::int32_t process = 0;
    std::size_t thread = 0;

    [[nodiscard]] friend auto operator<=>(const place&, const place&) = default;
  };
  /// Describes a slice, or all blocks of a kernel together.
  struct piece {
    slice what{};
    std::size_t row = 0;
    std::size_t rows = 1;
    std::uint64_t blocks = 0;
    ticks sum = 0;  ///< of their lengths
    std::size_t lane = 0;
  };
  struct shown_job {
    traced_job job{};
    ticks start = 0;
    std::size_t lane = 0;
  };
  static constexpr std::int32_t task_process = 1;
  static constexpr std::int32_t token_process = 2;
  static constexpr std::int32_t first_unit_process = 3;

  // What lies where.

  void lay_out() {
    gather_pieces();
    place_jobs();
    std::size_t thread = 0;
    for (std::uint32_t t = 0; t < tasks_; ++t) {
      for (std::size_t l = 0; l < job_lanes_[t]; ++l) {
        task_threads_[{t, l}] = name(task_process, thread, "tasks", numbered(trace_.name_of(t), l));
      }
    }
    for (const token_hold& h : trace_.holds) { token_threads_[{h.pool, h.token}] = {}; }
    for (auto& [token, where] : token_threads_) {
      where = name(token_process, thread, "tokens",
                   "token " + std::to_string(token.second) + " of pool " + std::to_string(token.first));
    }
    std::int32_t process = first_unit_process - 1;
    std::string group;
    for (std::size_t r = 0; r < rows_.rows().size(); ++r) {
      const trace_row& row = rows_.rows()[r];
      if (row.group != group) { ++process; }
      group = row.group;
      for (std::size_t l = 0; l < lanes_[r]; ++l) {
        unit_threads_[{r, l}] = name(process, thread, group, numbered(row.is_shared ? "kernels" : row.name, l));
      }
    }
  }
  [[nodiscard]] static auto numbered(const std::string& name, std::size_t lane) -> std::string {
    return lane == 0 ? name : name + " (" + std::to_string(lane + 1) + ")";
  }
  auto name(std::int32_t process, std::size_t& thread, const std::string& group, const std::string& track) -> place {
    const place out{process, ++thread};
    tracks_.push_back({out, group, track});
    return out;
  }

  void gather_pieces() {
    lanes_.assign(rows_.rows().size(), 1);
    std::map<std::tuple<std::size_t, std::uint32_t, std::uint64_t, std::uint32_t>, piece> kernels;
    for (const slice& s : trace_.slices) {
      const auto [row, rows] = rows_.place_of(s);
      if (!rows_.rows()[row].is_shared) {
        pieces_.push_back({.what = s, .row = row, .rows = rows});
        continue;
      }
      piece& k = kernels.try_emplace({row, s.task, s.job, s.segment}, piece{.what = s, .row = row}).first->second;
      k.what.start = std::min(k.what.start, s.start);
      k.what.end = std::max(k.what.end, s.end);
      k.sum += s.end - s.start;
      ++k.blocks;
    }
    for (const auto& [id, k] : kernels) { pieces_.push_back(k); }
    std::ranges::stable_sort(pieces_, {}, [](const piece& p) { return p.what.start; });
    std::vector<std::vector<ticks>> ends(lanes_.size());
    for (piece& p : pieces_) {
      if (p.rows > 1) { continue; }
      p.lane = lane_for(ends[p.row], p.what.start, p.what.end);
      lanes_[p.row] = std::max(lanes_[p.row], ends[p.row].size());
    }
  }
  /// Returns the first lane that is free from `start` on, taken until `end`.
  [[nodiscard]] static auto lane_for(std::vector<ticks>& ends, ticks start, ticks end) -> std::size_t {
    const auto free = std::ranges::find_if(ends, [start](ticks e) { return e <= start; });
    const auto lane = static_cast<std::size_t>(free - ends.begin());
    if (free == ends.end()) { ends.emplace_back(); }
    ends[lane] = end;
    return lane;
  }
  /// Shows a job that has not begun when another of its task is still there from the end of that one: they queue.
  void place_jobs() {
    job_lanes_.assign(tasks_, 1);
    std::vector<std::vector<ticks>> ends(tasks_);
    for (const traced_job& j : jobs_) {
      if (!j.released && j.start == j.end) { continue; }
      std::vector<ticks>& of_task = ends[j.task];
      const ticks begin = work_of_jobs::begin_of(j);
      const auto free = std::ranges::find_if(of_task, [&j](ticks e) { return e <= j.start; });
      const auto lane = static_cast<std::size_t>(free - of_task.begin());
      if (free == of_task.end()) { of_task.push_back(begin); }
      const ticks start = std::max(begin, of_task[lane]);
      of_task[lane] = std::max(of_task[lane], j.end);
      if (start < j.end) { shown_.push_back({j, start, lane}); }
    }
    for (std::uint32_t t = 0; t < tasks_; ++t) { job_lanes_[t] = std::max<std::size_t>(1, ends[t].size()); }
  }

  // Events.

  auto begin(std::string_view phase, std::string_view name, const place& where) -> json_writer& {
    return json_.line()
        .begin_object()
        .member("ph", phase)
        .member("name", name)
        .member("pid", where.process)
        .member("tid", where.thread);
  }
  auto time(std::string_view field, ticks t) -> json_writer& { return json_.key(field).literal(decimal(t, 3)); }
  auto begin_slice(std::string_view name, const place& where, std::string_view category, ticks from, ticks to)
      -> json_writer& {
    begin("X", name, where).member("cat", category);
    time("ts", from);
    return time("dur", to - from);
  }

  void describe(std::string_view what, const place& where, std::string_view field, std::string_view name) {
    begin("M", what, where).key("args").begin_object().member(field, name).end_object().end_object();
  }
  void order(std::string_view what, const place& where, std::size_t index) {
    begin("M", what, where).key("args").begin_object().member("sort_index", index).end_object().end_object();
  }
  void name_tracks() {
    std::int32_t named = 0;
    for (const auto& [where, group, track] : tracks_) {
      if (where.process != named) {
        describe("process_name", {where.process, 0}, "name", group);
        order("process_sort_index", {where.process, 0}, static_cast<std::size_t>(where.process));
      }
      named = where.process;
      describe("thread_name", where, "name", track);
      order("thread_sort_index", where, where.thread);
    }
  }
  [[nodiscard]] auto job_name(std::uint32_t task, std::uint64_t job) const -> std::string {
    return trace_.name_of(task) + ' ' + std::to_string(job);
  }

  void write_jobs() {
    for (const shown_job& s : shown_) {
      const traced_job& j = s.job;
      const place where = task_threads_.at({j.task, s.lane});
      begin_slice(job_name(j.task, j.job), where, "job", s.start, j.end)
          .key("args")
          .begin_object()
          .member("job", j.job);
      if (j.released) { time("release us", j.release); }
      if (j.has_deadline) { time("deadline us", j.deadline); }
      if (j.released && j.completed && j.end >= j.release) { time("response us", j.response()); }
      json_.member("completed", j.completed).end_object().end_object();
      for (const job_interval& w : work_.of(j)) {
        const ticks from = std::max(w.start, s.start);
        if (w.what == job_interval::kind::works || w.end <= from) { continue; }
        begin_slice(name_of(w.what), where, "wait", from, std::min(w.end, j.end)).end_object();
      }
    }
  }
  void write_tokens() {
    for (const token_hold& h : trace_.holds) {
      begin_slice(job_name(h.task, h.job), token_threads_.at({h.pool, h.token}), "token", h.start, h.end)
          .key("args")
          .begin_object()
          .member("job", h.job);
      time("asked us", h.asked).end_object().end_object();
    }
  }

  struct job_flow {
    std::size_t id = 0;
    std::size_t left = 0;
    bool started = false;
  };
  void write_pieces() {
    std::map<std::pair<std::uint32_t, std::uint64_t>, job_flow> flows;
    for (const piece& p : pieces_) {
      if (p.what.start < p.what.end) { ++flows[{p.what.task, p.what.job}].left; }
    }
    std::size_t id = 0;
    for (auto& [job, flow] : flows) { flow.id = ++id; }
    for (const piece& p : pieces_) {
      for (std::size_t r = p.row; r < p.row + p.rows; ++r) { write_piece(p, unit_threads_.at({r, p.lane})); }
      if (p.what.start < p.what.end) { write_flow(p, flows[{p.what.task, p.what.job}]); }
    }
  }
  void write_piece(const piece& p, const place& where) {
    const slice& s = p.what;
    begin_slice(job_name(s.task, s.job), where, name_of(s.where.where), s.start, s.end)
        .key("args")
        .begin_object()
        .member("job", s.job)
        .member("segment", s.segment)
        .member("kind", rows_.rows()[p.row].is_own ? "own resource" : name_of(s.where.where));
    if (p.rows > 1) { json_.member("SMs", s.where.count); }
    if (s.where.kind == unit_kind::share) { json_.member("percent", s.where.percent); }
    if (p.blocks > 0) {
      json_.member("blocks", p.blocks);
      const auto whole = static_cast<double>(std::max<ticks>(s.end - s.start, 1));
      json_.key("at once").literal(fixed(static_cast<double>(p.sum) / whole, 2));
    }
    json_.end_object().end_object();
  }
  /// Perfetto binds an arrow to the slice that is open at its time, and a slice is no longer open at its own end.
  void write_flow(const piece& p, job_flow& flow) {
    --flow.left;
    if (!flow.started && flow.left == 0) { return; }
    const std::string_view phase = !flow.started ? "s" : flow.left > 0 ? "t" : "f";
    flow.started = true;
    begin(phase, "job", unit_threads_.at({p.row, p.lane})).member("cat", "job").member("id", flow.id);
    time("ts", p.what.start);
    if (phase == "f") { json_.member("bp", "e"); }
    json_.end_object();
  }

  /// Writes shares as counters, whose height is the share.
  void write_shares() {
    std::map<std::size_t, const piece*> last;
    const auto count = [this](const piece& p, ticks at, std::int32_t percent) {
      begin("C", "share of " + trace_.name_of(p.what.task), unit_threads_.at({p.row, 0}));
      time("ts", at).key("args").begin_object().member("percent", percent).end_object().end_object();
    };
    for (const piece& p : pieces_) {
      if (!rows_.rows()[p.row].is_share) { continue; }
      const piece*& before = last[p.row];
      if (before != nullptr && before->what.end < p.what.start) { count(*before, before->what.end, 0); }
      count(p, p.what.start, p.what.where.percent);
      before = &p;
    }
    for (const auto& [row, p] : last) { count(*p, p->what.end, 0); }
  }

  void write_marks() {
    for (const mark& m : trace_.marks) {
      begin("i", label_of(m.what), task_threads_.at({m.task, 0})).member("cat", "job").member("s", "t");
      if (m.what == mark_kind::miss) { json_.member("cname", "terrible"); }
      time("ts", m.time).key("args").begin_object().member("job", m.job).end_object().end_object();
    }
  }
  [[nodiscard]] static auto label_of(mark_kind what) -> std::string_view {
    switch (what) {
      case mark_kind::release: return "release";
      case mark_kind::completion: return "completion";
      case mark_kind::deadline: return "deadline";
      case mark_kind::miss: return "DEADLINE MISSED";
    }
    return "";
  }

  struct named_track {
    place where{};
    std::string group;
    std::string name;
  };

  json_writer json_;
  trace_view trace_;
  std::uint32_t tasks_;
  trace_rows rows_;
  job_range jobs_;
  work_of_jobs work_;
  std::vector<piece> pieces_;
  std::vector<std::size_t> lanes_;
  std::vector<shown_job> shown_;
  std::vector<std::size_t> job_lanes_;
  std::vector<named_track> tracks_;
  std::map<std::pair<std::uint32_t, std::size_t>, place> task_threads_;
  std::map<std::pair<std::int32_t, std::int32_t>, place> token_threads_;
  std::map<std::pair<std::size_t, std::size_t>, place> unit_threads_;
};

}  // namespace detail

/// Writes a trace as Chrome trace-event JSON, which ui.perfetto.dev and chrome://tracing open. A track per task has its
/// jobs, with what they wait for, and their releases, completions, deadlines and misses. One per core, copy engine and
/// SM range has a slice per piece of a segment and arrows along each job. Tokens have one each, and shares of a GPU a
/// counter. Where blocks share SMs, a kernel is one slice that counts its blocks. Times are microseconds with three
/// decimals, hence exact.
inline void write_chrome_trace(std::ostream& out, const trace_view& trace) {
  detail::chrome_trace_writer{out, trace}.write();
}

}  // namespace takt::inline TAKT_ABI::report
