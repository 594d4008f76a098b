// SPDX-License-Identifier: Apache-2.0
#include "chunks.hpp"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <takt/report/svg.hpp>
#include <takt/report/time_axis.hpp>
#include <takt/systems/accelerators/analysis/chunk_graph.hpp>

#include "drawing.hpp"
#include "examples.hpp"

namespace takt::pictures {
namespace {

constexpr std::size_t most_chunks = 16;
using graph = analysis::chunk_graph<ticks, most_chunks>;
using chunk = analysis::chunk<ticks>;

[[nodiscard]] auto holds(const graph& g, const chunk& wanted) -> bool {
  for (const chunk& c : g.chunks) {
    if (c.job == wanted.job && c.offset == wanted.offset) { return true; }
  }
  return false;
}

/// A row per job with its chunks over the slots, and below them the distances from one kept chunk to the next.
class chunk_drawing {
 public:
  /// `kept` is a part of `all`.
  chunk_drawing(std::ostream& out, const accelerator_task<ticks>& task, const slot& served, const graph& all,
                const graph& kept, std::string_view title, std::string_view sentence)
      : sheet_{out, bottom(all) + 44, title, sentence}, task_{task}, slot_{served}, all_{all}, kept_{kept} {}

  void write(ticks mark_length, ticks mark_distance) {
    write_legend();
    write_ground();
    for (std::int64_t job = 0; job < all_.jobs; ++job) { write_job(job); }
    for (std::size_t v = 0; v < all_.chunks.size(); ++v) { write_chunk(v, mark_length); }
    write_distances(mark_distance);
  }

 private:
  static constexpr double top = 112;
  static constexpr double row_height = 46;
  static constexpr double distance_height = 44;
  static constexpr double labels = 160;

  [[nodiscard]] static auto bottom(const graph& g) -> double {
    return top + row_height * static_cast<double>(g.jobs) + distance_height;
  }
  [[nodiscard]] static auto row(std::int64_t job) -> double { return top + row_height * static_cast<double>(job); }
  [[nodiscard]] static auto name(std::size_t v) -> std::string { return "v" + std::to_string(v + 1); }

  void write_legend() {
    constexpr double y = 76;
    double x = margin;
    const auto place = [&](std::string_view text) {
      sheet_.svg.text(x + 23, y, text);
      x += 40 + 6.6 * static_cast<double>(text.size());
    };
    const bool all_kept = kept_.chunks.size() == all_.chunks.size();
    sheet_.svg.rectangle(x, y - 11, 16, 13, kept_style);
    place(all_kept ? "chunk" : "longest chunk of its job");
    if (!all_kept) {
      sheet_.svg.raw(
          "<defs><pattern id=\"dropped\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#f4f4f6\"/>"
          "<rect width=\"1.6\" height=\"6\" fill=\"#c3c6ce\"/></pattern></defs>\n");
      dropped_box(x, y - 11, 16, 13, {});
      place("dropped chunk");
    }
    sheet_.svg.rectangle(x, y - 11, 16, 13, slot_style);
    place("slot");
    arrow_up(x + 8, y + 3, 15);
    place("release");
    arrow_down(x + 8, y + 3, 15);
    place("deadline");
    distance_arrow(x, x + 16, y - 4.5, "#445");
    place("distance of starts");
  }

  void write_ground() {
    const double end = bottom(all_);
    for (ticks begin = slot_.offset; begin < all_.pattern; begin += slot_.period) {
      const double x = axis_.x(begin);
      const double width = axis_.x(begin + slot_.budget) - x;
      sheet_.svg.rectangle(x, top - 20, width, end - top + 20, slot_style);
      sheet_.svg.text(x + width / 2, top - 7, "slot " + in_ms(begin) + " to " + in_ms(begin + slot_.budget),
                      small_grey_middle);
    }
    for (std::int64_t job = 0; job <= all_.jobs; ++job) {
      sheet_.svg.path(margin, row(job), 'H' + pixels(axis_.right()), grid_line);
    }
    for (const ticks t : axis_.instants()) {
      sheet_.svg.path(axis_.x(t), end, "v5", "stroke=\"#889\"");
      sheet_.svg.text(axis_.x(t), end + 17, axis_.label(t), "text-anchor=\"middle\" font-size=\"11\"");
    }
    sheet_.svg.path(axis_.left(), end, 'H' + pixels(axis_.right()), "stroke=\"#889\"");
    sheet_.svg.text((axis_.left() + axis_.right()) / 2, end + 34,
                    "time in " + std::string{axis_.unit().name} + ", the pattern repeats after " + in_ms(all_.pattern),
                    small_grey_middle);
  }

  /// Its life, and how its work lies in its chunks.
  void write_job(std::int64_t job) {
    std::string where;
    for (std::size_t v = 0; v < all_.chunks.size(); ++v) {
      if (all_.chunks[v].job != job || !holds(kept_, all_.chunks[v])) { continue; }
      where += (where.empty() ? "" : " and ") + name(v);
    }
    const double y = row(job);
    sheet_.svg.text(margin + 4, y + 20, std::string{task_.name} + ", job " + std::to_string(job));
    sheet_.svg.text(margin + 4, y + 36, in_ms(task_.wcet) + " ms of work in " + where, small_grey);
    const ticks release = job * task_.period;
    const double left = axis_.x(release);
    const double right = axis_.x(release + task_.deadline);
    sheet_.svg.path(left, y + row_height / 2, 'H' + pixels(right), "stroke=\"#889\" stroke-dasharray=\"2 3\"");
    arrow_up(left, y + row_height - 3, row_height - 6);
    arrow_down(right, y + row_height - 3, row_height - 6);
  }

  void write_chunk(std::size_t v, ticks mark_length) {
    const chunk& c = all_.chunks[v];
    const double x = axis_.x(c.offset) + 1;
    const double width = axis_.x(c.offset + c.length) - x - 1;
    const double y = row(c.job) + 7;
    const double height = row_height - 14;
    const bool kept = holds(kept_, c);
    const std::string tip = name(v) + ", job " + std::to_string(c.job) + "\nfrom " + in_ms(c.offset) + " to " +
                            in_ms(c.offset + c.length) + " ms";
    if (kept) {
      sheet_.svg.rectangle(x, y, width, height, kept_style, tip);
    } else {
      dropped_box(x, y, width, height, tip);
    }
    if (kept && c.length == mark_length) {
      sheet_.svg.rectangle(x + 1, y + 1, width - 2, height - 2, "fill=\"none\" stroke=\"#e69f00\" stroke-width=\"3\"");
    }
    const std::string_view style = kept ? "text-anchor=\"middle\" pointer-events=\"none\" fill=\"#fff\""
                                        : "text-anchor=\"middle\" pointer-events=\"none\" fill=\"#445\"";
    sheet_.svg.text(x + width / 2, y + height / 2 - 3, name(v), style);
    sheet_.svg.text(x + width / 2, y + height / 2 + 11, in_ms(c.length), style);
  }

  void write_distances(ticks mark_distance) {
    const double y = row(all_.jobs) + 30;
    sheet_.svg.text(margin + 4, y - 6, "from start to start");
    sheet_.svg.text(margin + 4, y + 10, "the last one to v1", small_grey);
    const auto& chunks = kept_.chunks;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const bool last = i + 1 == chunks.size();
      const ticks next = last ? kept_.pattern + chunks[0].offset : chunks[i + 1].offset;
      const ticks distance = next - chunks[i].offset;
      const double left = axis_.x(chunks[i].offset);
      const double right = axis_.x(next);
      const bool marked = distance == mark_distance;
      distance_arrow(left, right, y, marked ? "#b06f00" : "#445");
      sheet_.svg.text(
          (left + right) / 2, y - 7, in_ms(distance),
          marked ? "text-anchor=\"middle\" fill=\"#b06f00\" font-weight=\"600\"" : "text-anchor=\"middle\"");
    }
  }

  void dropped_box(double x, double y, double width, double height, const std::string& tip) {
    sheet_.svg.rectangle(x, y, width, height, "fill=\"url(#dropped)\" stroke=\"#889\" stroke-dasharray=\"3 2\"", tip);
  }
  void arrow_up(double x, double foot, double height) {
    sheet_.svg.path(x, foot, 'v' + pixels(-height) + "m-3.5 5.5l3.5 -5.5l3.5 5.5", arrow_style);
  }
  void arrow_down(double x, double foot, double height) {
    sheet_.svg.path(x, foot - height, 'v' + pixels(height) + "m-3.5 -5.5l3.5 5.5l3.5 -5.5", arrow_style);
  }
  void distance_arrow(double left, double right, double y, std::string_view stroke) {
    sheet_.svg.path(left, y - 4, "v8m0 -4H" + pixels(right) + "m-5 -3.5l5 3.5l-5 3.5",
                    "fill=\"none\" stroke-width=\"1.2\" stroke=\"" + std::string{stroke} + '"');
  }

  static constexpr std::string_view kept_style = "fill=\"#0072b2\"";
  static constexpr std::string_view slot_style = "fill=\"#56b4e9\" fill-opacity=\"0.18\"";
  static constexpr std::string_view arrow_style = "fill=\"none\" stroke=\"#222\" stroke-width=\"1.4\"";

  sheet sheet_;
  accelerator_task<ticks> task_;
  slot slot_;
  graph all_;
  graph kept_;
  report::time_axis axis_{0, all_.pattern, margin + labels, picture_width - margin - labels - 28};
};

/// "t1 (3, 10)" for a kernel whose deadline is its period, and "slot (0, 8, 12)".
[[nodiscard]] auto named(const accelerator_task<ticks>& t, const slot& s) -> std::string {
  return std::string{t.name} + " (" + in_ms(t.wcet) + ", " + in_ms(t.period) + ") in the slot (" + in_ms(s.offset) +
         ", " + in_ms(s.budget) + ", " + in_ms(s.period) + ")";
}

}  // namespace

void draw_chunks(std::ostream& svg) {
  constexpr auto t1 = example_1().tasks[0];
  const graph all = analysis::make_chunk_graph<most_chunks>(t1, pinned_slot);
  const std::string title = "The " + std::to_string(all.jobs) + " jobs of " + named(t1, pinned_slot) +
                            " find slot time in " + std::to_string(all.chunks.size()) + " chunks";
  chunk_drawing{
      svg,
      t1,
      pinned_slot,
      all,
      all,
      title,
      "A chunk is a stretch of slot time within the life of a job. Its length, in ms below its name, is its deadline."}
      .write(0, 0);
}

void draw_longest_chunks(std::ostream& svg) {
  constexpr auto t1 = example_1().tasks[0];
  const graph all = analysis::make_chunk_graph<most_chunks>(t1, pinned_slot);
  const graph kept = analysis::longest_chunks(all);
  const auto task = analysis::sporadic_abstraction(t1.wcet, kept);
  const std::string title = "The longest chunk of each job of " + std::string{t1.name} +
                            " gives the sporadic abstraction (" + in_ms(task.wcet) + ", " + in_ms(task.deadline) +
                            ", " + in_ms(task.period) + ")";
  const std::string sentence = "Work " + in_ms(task.wcet) + ", deadline " + in_ms(task.deadline) +
                               " from the shortest chunk kept, period " + in_ms(task.period) +
                               " from the least distance (both marked), on a processor of its own. " +
                               named(t1, pinned_slot) + ".";
  chunk_drawing{svg, t1, pinned_slot, all, kept, title, sentence}.write(task.deadline, task.period);
}

}  // namespace takt::pictures
