// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/report/format_duration.hpp>
#include <takt/report/json.hpp>
#include <takt/report/trace_view.hpp>

namespace takt::report {

namespace detail {

/// Writes the events of one trace. Perfetto takes processes and threads for groups and tracks; it ignores process 0.
class chrome_trace_writer {
 public:
  chrome_trace_writer(std::ostream& out, const trace_view& trace)
      : json_{out}, trace_{trace}, tasks_{task_count(trace)}, units_{units_of(trace)} {}

  void write() {
    json_.begin_object().member("displayTimeUnit", "ns").key("traceEvents").begin_array();
    name_tracks();
    write_slices();
    write_marks();
    json_.end_array().end_object().finish();
  }

 private:
  struct place {
    std::int32_t process = 0;
    std::size_t thread = 0;
  };
  static constexpr std::int32_t task_process = 1;

  [[nodiscard]] auto place_of(const track& unit) const -> place {
    const auto at = std::ranges::find(units_, unit);
    const auto thread = tasks_ + static_cast<std::size_t>(at - units_.begin()) + 1;
    switch (unit.where) {
      case stage::cpu: return {2, thread};
      case stage::copy: return {3, thread};
      case stage::kernel: break;
    }
    return {4 + unit.gpu, thread};
  }

  auto begin(std::string_view phase, std::string_view name, const place& where) -> json_writer& {
    return json_.line()
        .begin_object()
        .member("ph", phase)
        .member("name", name)
        .member("pid", where.process)
        .member("tid", where.thread);
  }
  auto time(std::string_view field, ticks t) -> json_writer& { return json_.key(field).literal(decimal(t, 3)); }

  void name_process(const place& where, std::string_view name) {
    begin("M", "process_name", where).key("args").begin_object().member("name", name).end_object().end_object();
    begin("M", "process_sort_index", where)
        .key("args")
        .begin_object()
        .member("sort_index", where.process)
        .end_object()
        .end_object();
  }
  void name_thread(const place& where, std::string_view name) {
    begin("M", "thread_name", where).key("args").begin_object().member("name", name).end_object().end_object();
    begin("M", "thread_sort_index", where)
        .key("args")
        .begin_object()
        .member("sort_index", where.thread)
        .end_object()
        .end_object();
  }
  void name_tracks() {
    if (tasks_ > 0) { name_process({task_process, 0}, "tasks"); }
    for (std::uint32_t t = 0; t < tasks_; ++t) { name_thread({task_process, t + 1}, trace_.name_of(t)); }
    std::int32_t named = task_process;
    for (const track& unit : units_) {
      const place where = place_of(unit);
      if (where.process != named) { name_process({where.process, 0}, group_name(unit)); }
      named = where.process;
      name_thread(where, unit_name(unit));
    }
  }

  void write_slices() {
    std::vector<std::size_t> order(trace_.slices.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [this](std::size_t a, std::size_t b) {
      return std::pair{trace_.slices[a].start, a} < std::pair{trace_.slices[b].start, b};
    });
    std::map<std::pair<std::uint32_t, std::uint64_t>, job_flow> flows;
    for (const slice& s : trace_.slices) {
      if (s.start < s.end) { ++flows[{s.task, s.job}].left; }
    }
    std::size_t id = 0;
    for (auto& [job, flow] : flows) { flow.id = ++id; }
    for (const std::size_t i : order) {
      const slice& s = trace_.slices[i];
      write_slice(s);
      if (s.start < s.end) { write_flow(s, flows[{s.task, s.job}]); }
    }
  }

  void write_slice(const slice& s) {
    begin("X", trace_.name_of(s.task), place_of(s.where)).member("cat", name_of(s.where.where));
    time("ts", s.start);
    time("dur", s.end - s.start)
        .key("args")
        .begin_object()
        .member("job", s.job)
        .member("segment", s.segment)
        .member("kind", name_of(s.where.where))
        .end_object()
        .end_object();
  }

  struct job_flow {
    std::size_t id = 0;
    std::size_t left = 0;
    bool started = false;
  };
  /// Perfetto binds an arrow to the slice that is open at its time, and a slice is no longer open at its own end.
  void write_flow(const slice& s, job_flow& flow) {
    --flow.left;
    if (!flow.started && flow.left == 0) { return; }
    const std::string_view phase = !flow.started ? "s" : flow.left > 0 ? "t" : "f";
    flow.started = true;
    begin(phase, "job", place_of(s.where)).member("cat", "job").member("id", flow.id).member("bp", "e");
    time("ts", s.start).end_object();
  }

  void write_marks() {
    for (const mark& m : trace_.marks) {
      begin("i", label_of(m.what), {task_process, m.task + std::size_t{1}}).member("cat", "job").member("s", "t");
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

  json_writer json_;
  trace_view trace_;
  std::uint32_t tasks_;
  std::vector<track> units_;
};

}  // namespace detail

/// Writes a trace as Chrome trace-event JSON, which ui.perfetto.dev and chrome://tracing open: one track per task with
/// its releases, completions, deadlines and misses, and one per core, copy engine and SM range with a slice per piece
/// of a segment and arrows along each job. Times are microseconds with three decimals, hence exact.
inline void write_chrome_trace(std::ostream& out, const trace_view& trace) {
  detail::chrome_trace_writer{out, trace}.write();
}

}  // namespace takt::report
