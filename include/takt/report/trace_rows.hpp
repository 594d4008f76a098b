// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <takt/model/trace_record.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/report/trace_view.hpp>

namespace takt::inline TAKT_ABI::report {

/// Says what shows a unit of a board: a row of a picture, or a track of a trace.
struct trace_row {
  std::string group;
  std::string name;
  stage where = stage::cpu;
  std::int32_t gpu = 0;
  bool is_shared = false;  ///< blocks of kernels, of which many are at work at once
  bool is_share = false;   ///< of one task, whose pieces say how much of the GPU they have
  bool is_own = false;     ///< a unit of a resource that takt does not know
};

/// Holds the rows of a trace and where its slices lie on them: cores, copy engines, own resources, and GPU by GPU its
/// SMs. An SM is on one row, whatever the ranges of kernels. Where blocks share an SM, or rows would be too many, the
/// blocks of a GPU have one row together. Cost: n log n.
class trace_rows {
 public:
  static constexpr std::size_t most_sm_rows = 16;  ///< of one GPU

  explicit trace_rows(const trace_view& trace) {
    std::map<key, std::set<std::uint32_t>> found;
    std::map<std::int32_t, std::vector<slice>> on_sms;
    for (const slice& s : trace.slices) {
      if (has_sms(s)) {
        on_sms[s.where.gpu].push_back(s);
      } else {
        found[key_of(s)].insert(s.task);
      }
    }
    for (auto& [gpu, slices] : on_sms) { divide(gpu, slices, found); }
    for (const auto& [k, tasks] : found) {
      numbers_[k] = rows_.size();
      rows_.push_back(row_of(k, tasks, trace));
    }
  }

  [[nodiscard]] auto rows() const noexcept -> const std::vector<trace_row>& { return rows_; }
  /// Returns the first row of a slice, and how many follow each other that it lies on.
  [[nodiscard]] auto place_of(const slice& s) const -> std::pair<std::size_t, std::size_t> {
    if (!has_sms(s)) { return {numbers_.at(key_of(s)), 1}; }
    const sm_rows& r = sms_.at(s.where.gpu);
    const std::size_t first = numbers_.at({kernels, s.where.gpu, of_sms, 0});
    if (r.together) { return {first, 1}; }
    const auto at = std::ranges::lower_bound(r.starts, s.where.index) - r.starts.begin();
    const auto end = std::ranges::lower_bound(r.starts, end_of(s)) - r.starts.begin();
    return {numbers_.at({kernels, s.where.gpu, of_sms, static_cast<std::int32_t>(at)}),
            static_cast<std::size_t>(end - at)};
  }

 private:
  // In the order of rows.
  static constexpr int processors = 0;
  static constexpr int copies = 1;
  static constexpr int own_resources = 2;
  static constexpr int kernels = 3;
  static constexpr int of_gpu = 0;
  static constexpr int of_sms = 1;
  static constexpr int of_parts = 2;
  static constexpr int of_shares = 3;

  struct key {
    int section = 0;
    std::int32_t gpu = 0;
    int kind = 0;
    std::int32_t number = 0;
    [[nodiscard]] friend auto operator<=>(const key&, const key&) = default;
  };
  /// Holds ranges of SMs that no kernel divides. `starts` has the end of the last one as well.
  struct sm_rows {
    std::vector<std::int32_t> starts;
    bool together = false;
    bool overlap = false;
  };

  [[nodiscard]] static auto has_sms(const slice& s) -> bool {
    return s.where.where == stage::kernel && s.where.kind == unit_kind::numbered;
  }
  [[nodiscard]] static auto end_of(const slice& s) -> std::int32_t {
    return s.where.index + std::max(s.where.count, 1);
  }
  [[nodiscard]] static auto key_of(const slice& s) -> key {
    const track& t = s.where;
    switch (t.where) {
      case stage::cpu: return {processors, 0, 0, t.index};
      case stage::copy:
        if (t.kind == unit_kind::own_resource) { return {own_resources, 0, 0, t.index}; }
        return {copies, t.kind == unit_kind::numbered ? -1 : t.gpu, static_cast<int>(t.kind), t.index};
      case stage::kernel: break;
    }
    if (t.kind == unit_kind::share) { return {kernels, t.gpu, of_shares, static_cast<std::int32_t>(s.task)}; }
    return {kernels, t.gpu, t.kind == unit_kind::part ? of_parts : of_gpu, t.index};
  }

  void divide(std::int32_t gpu, std::vector<slice>& slices, std::map<key, std::set<std::uint32_t>>& found) {
    sm_rows& r = sms_[gpu];
    std::set<std::int32_t> edges;
    for (const slice& s : slices) { edges.insert({s.where.index, end_of(s)}); }
    r.starts.assign(edges.begin(), edges.end());
    std::vector<bool> used(r.starts.size());
    std::vector<ticks> until(r.starts.size(), std::numeric_limits<ticks>::min());
    std::ranges::sort(slices, {}, [](const slice& s) { return std::pair{s.start, s.end}; });
    for (const slice& s : slices) {
      const auto from = static_cast<std::size_t>(std::ranges::lower_bound(r.starts, s.where.index) - r.starts.begin());
      for (std::size_t i = from; r.starts[i] < end_of(s); ++i) {
        used[i] = true;
        r.overlap = r.overlap || s.start < until[i];
        until[i] = std::max(until[i], s.end);
      }
    }
    const auto rows = static_cast<std::size_t>(std::ranges::count(used, true));
    r.together = r.overlap || rows > most_sm_rows;
    for (std::size_t i = 0; i < used.size() && !r.together; ++i) {
      if (used[i]) { found[{kernels, gpu, of_sms, static_cast<std::int32_t>(i)}]; }
    }
    if (r.together) { found[{kernels, gpu, of_sms, 0}]; }
  }

  [[nodiscard]] auto row_of(const key& k, const std::set<std::uint32_t>& tasks, const trace_view& trace) const
      -> trace_row {
    const std::string number = std::to_string(k.number);
    const std::string gpu = "GPU " + std::to_string(k.gpu);
    switch (k.section) {
      case processors: return {.group = "CPU", .name = "core " + number, .where = stage::cpu};
      case copies: return {.group = "copy engines", .name = engine_name(k, gpu), .where = stage::copy, .gpu = k.gpu};
      case own_resources:
        return {.group = "own resources", .name = "unit " + number, .where = stage::copy, .is_own = true};
      default: break;
    }
    trace_row out{.group = gpu, .name = {}, .where = stage::kernel, .gpu = k.gpu};
    switch (k.kind) {
      case of_gpu: out.name = "all SMs"; break;
      case of_parts:
        out.name = tasks.size() == 1 ? "kernels of " + trace.name_of(*tasks.begin()) : "part " + number;
        break;
      case of_shares:
        out.group += ", by share";
        out.name = trace.name_of(*tasks.begin());
        out.is_share = true;
        break;
      default: name_sms(sms_.at(k.gpu), static_cast<std::size_t>(k.number), out); break;
    }
    return out;
  }
  static void name_sms(const sm_rows& r, std::size_t i, trace_row& out) {
    if (r.together) {
      out.name = r.overlap ? "blocks at work" : "SMs at work";
      out.is_shared = true;
      return;
    }
    const std::string first = std::to_string(r.starts[i]);
    const std::int32_t last = r.starts[i + 1] - 1;
    out.name = last == r.starts[i] ? "SM " + first : "SMs " + first + '-' + std::to_string(last);
  }
  [[nodiscard]] static auto engine_name(const key& k, const std::string& gpu) -> std::string {
    if (k.kind == static_cast<int>(unit_kind::copies_out)) { return gpu + " to host"; }
    if (k.kind == static_cast<int>(unit_kind::copies_in)) { return gpu + " from host"; }
    return k.kind == static_cast<int>(unit_kind::whole) ? gpu : "engine " + std::to_string(k.number);
  }

  std::vector<trace_row> rows_;
  std::map<key, std::size_t> numbers_;
  std::map<std::int32_t, sm_rows> sms_;
};

}  // namespace takt::inline TAKT_ABI::report
