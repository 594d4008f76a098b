// SPDX-License-Identifier: Apache-2.0
#include "bounds.hpp"

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

#include <takt/analysis/methods/demand/sporadic_demand.hpp>
#include <takt/analysis/methods/demand/supply.hpp>
#include <takt/analysis/methods/whole_kernels/parts.hpp>
#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/core/rational.hpp>
#include <takt/report/svg.hpp>
#include <takt/report/time_axis.hpp>
#include <takt/systems/accelerators/analysis/chunk_graph.hpp>
#include <takt/systems/accelerators/analysis/slot_periodic_edf.hpp>

#include "drawing.hpp"
#include "examples.hpp"

namespace takt::pictures {
namespace {

using demand = analysis::sporadic_demand<ticks, most_kernels>;

constexpr std::string_view demand_style = "fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2.2\"";
constexpr std::string_view supply_style = "fill=\"none\" stroke=\"#009e73\" stroke-width=\"2\"";
constexpr std::string_view line_style =
    "fill=\"none\" stroke=\"#009e73\" stroke-width=\"1.4\" stroke-dasharray=\"6 4\"";
constexpr std::string_view diagonal_style = "fill=\"none\" stroke=\"#332288\" stroke-width=\"1.6\"";

[[nodiscard]] auto triple(ticks a, ticks b, ticks c) -> std::string {
  return '(' + in_ms(a) + ", " + in_ms(b) + ", " + in_ms(c) + ')';
}

/// The kernels and their slot.
[[nodiscard]] auto list_of(const served_set& s) -> std::string {
  std::string out;
  for (const auto& t : s.tasks.tasks) {
    out += std::string{t.name} + ' ' + triple(t.wcet, t.deadline, t.period) + ", ";
  }
  return out + "slot " + triple(s.served.offset, s.served.budget, s.served.period);
}

/// The tasks' demand by their sporadic abstractions.
[[nodiscard]] auto abstract_demand(const served_set& s, std::string& names) -> demand {
  demand out;
  for (const auto& t : s.tasks.tasks) {
    const auto kept = analysis::longest_chunks(analysis::make_chunk_graph(t, s.served));
    const auto a = analysis::sporadic_abstraction(t.wcet, kept);
    static_cast<void>(out.add(a.wcet, a.deadline, a.period));
    names += (names.empty() ? "" : ", ") + std::string{t.name} + ' ' + triple(a.wcet, a.deadline, a.period);
  }
  return out;
}

/// A window of time where demand is nearest to what there is for it, or first above it.
struct tight_window {
  ticks at = 0;
  ticks slack = 0;
};

/// The first window up to `end` that a processor of its own is too short for. Pre: there is one.
[[nodiscard]] auto first_excess(const demand& wanted, ticks end) -> tight_window {
  tight_window out;
  for (ticks t = wanted.first_step(); t <= end; t = wanted.at(t).next) {
    out = {t, t - wanted.work(t)};
    if (out.slack < 0) { break; }
  }
  return out;
}

/// Demand and supply over the length of a window of time.
class panel {
 public:
  static constexpr double width = 470;
  static constexpr double height = 280;

  panel(report::svg_writer& svg, double left, double top, ticks longest, ticks most)
      : svg_{&svg}, top_{top}, time_{0, longest, left, width}, work_{0, most, 0, height} {}

  void write_frame(std::string_view title, std::string_view sentence) {
    svg_->text(time_.left() - 34, top_ - 32, title, "font-size=\"14\" font-weight=\"600\"");
    svg_->text(time_.left() - 34, top_ - 13, sentence, "font-size=\"11.5\" fill=\"#445\"");
    svg_->rectangle(time_.left(), top_, width, height, "fill=\"#f7f8fa\"");
    for (const ticks t : time_.instants()) {
      svg_->path(time_.x(t), top_, 'V' + pixels(top_ + height), grid_line);
      svg_->text(time_.x(t), top_ + height + 16, time_.label(t), "text-anchor=\"middle\" font-size=\"11\"");
    }
    for (const ticks w : work_.instants()) {
      svg_->path(time_.left(), y(w), 'H' + pixels(time_.right()), grid_line);
      svg_->text(time_.left() - 7, y(w) + 4, work_.label(w), "text-anchor=\"end\" font-size=\"11\"");
    }
    svg_->path(time_.left(), top_, 'V' + pixels(top_ + height) + 'H' + pixels(time_.right()),
               "fill=\"none\" stroke=\"#889\"");
    svg_->text(time_.left() + width / 2, top_ + height + 32,
               "length of the window of time in " + std::string{time_.unit().name}, small_grey_middle);
    svg_->raw("<text transform=\"translate(" + pixels(time_.left() - 30) + ' ' + pixels(top_ + height / 2) +
              ") rotate(-90)\" " + std::string{small_grey_middle} + ">time on the SM in " +
              std::string{work_.unit().name} + "</text>\n");
  }

  void write_demand(const demand& wanted) {
    std::string steps;
    ticks work = 0;
    for (ticks t = wanted.first_step(); t <= time_.to(); t = wanted.at(t).next) {
      work = wanted.work(t);
      steps += 'H' + pixels(time_.x(t)) + 'V' + pixels(y(work));
    }
    svg_->path(time_.left(), y(0), steps + 'H' + pixels(time_.right()), demand_style);
  }
  /// A supply that is straight between the two edges of each slot.
  template <class Supply>
  void write_supply(const Supply& supply, const slot& s, std::string_view style) {
    std::string bends;
    for (ticks begin = 0; begin < time_.to(); begin += s.period) {
      for (const ticks t : {begin + s.period - s.budget, begin + s.period}) {
        const ticks until = t < time_.to() ? t : time_.to();
        bends += 'L' + pixels(time_.x(until)) + ' ' + pixels(y(supply(until)));
      }
    }
    svg_->path(time_.left(), y(0), bends, style);
  }

  /// The gap between demand and supply at a window, in red where demand is above.
  void write_gap(const tight_window& w, ticks work) {
    const ticks there = work + w.slack;
    const double x = time_.x(w.at);
    const double high = y(work < there ? there : work);
    const std::string ink = w.slack < 0 ? "#d00000" : "#222";
    const bool left_edge = x < time_.left() + 170;
    const double text = left_edge ? time_.left() + 10 : x - 6;
    const std::string style = std::string{"text-anchor=\""} + (left_edge ? "start" : "end") + "\" fill=\"" + ink + '"';
    svg_->path(x, y(work), 'V' + pixels(y(there)), "stroke-width=\"4\" stroke=\"" + ink + '"');
    svg_->path(x, high - 5, 'V' + pixels(high - 70),
               "stroke-width=\"1\" stroke-dasharray=\"2 2\" stroke=\"" + ink + '"');
    svg_->text(text, high - 92, "window of " + in_ms(w.at) + " ms:", style);
    svg_->text(text, high - 77, in_ms(work) + " ms wanted, " + in_ms(there) + " ms there", style);
  }

 private:
  [[nodiscard]] auto y(ticks work) const -> double { return top_ + height - work_.x(work); }

  report::svg_writer* svg_;
  double top_;
  report::time_axis time_;
  report::time_axis work_;
};

/// What a test says, and of which window.
[[nodiscard]] auto outcome(bool accepted, const tight_window& w) -> std::string {
  return (accepted ? " accepts: at least " + in_ms(w.slack) + " ms left"
                   : " rejects: " + in_ms(-w.slack) + " ms short") +
         ", in a window of " + in_ms(w.at) + " ms";
}

void draw_supply_test(report::svg_writer& svg, double left, double top, const served_set& s, ticks longest,
                      ticks most) {
  const demand wanted = analysis::demand_of(s.tasks);
  const auto exact = analysis::slot_supply_edf(s.tasks, s.served);
  const auto line = analysis::slot_linear_edf(s.tasks, s.served);
  const tight_window tight{exact.at, exact.slack};
  const analysis::static_slot<ticks> supply{s.served};
  const analysis::linear_slot<rational> straight{analysis::as_fractions(s.served)};

  panel p{svg, left, top, longest, most};
  p.write_frame("Theorem 3" + outcome(exact.schedulable(), tight),
                list_of(s) + "; straight line " + (line.schedulable() ? "accepts, slack " : "rejects, slack ") +
                    in_ms(line.slack) + " at " + in_ms(line.at));
  p.write_supply([&](ticks t) { return straight.supply(rational{t}).floor(); }, s.served, line_style);
  p.write_supply([&](ticks t) { return supply.supply(t); }, s.served, supply_style);
  p.write_demand(wanted);
  p.write_gap(tight, wanted.work(tight.at));
}

void draw_abstraction_test(report::svg_writer& svg, double left, double top, const served_set& s, ticks longest,
                           ticks most) {
  std::string names;
  const demand wanted = abstract_demand(s, names);
  const auto answer = analysis::slot_abstraction_edf(s.tasks, s.served);
  const tight_window tight = answer.has_point ? tight_window{answer.at, answer.slack} : first_excess(wanted, longest);
  const rational load = wanted.utilization();

  panel p{svg, left, top, longest, most};
  p.write_frame("Theorem 4" + outcome(answer.schedulable(), tight), names + " on a processor of their own, load " +
                                                                        std::to_string(load.numerator()) + '/' +
                                                                        std::to_string(load.denominator()));
  p.write_supply([](ticks t) { return t; }, s.served, diagonal_style);
  p.write_demand(wanted);
  p.write_gap(tight, wanted.work(tight.at));
}

void write_legend(report::svg_writer& svg) {
  constexpr double y = 78;
  double x = margin;
  const auto place = [&](std::string_view style, std::string_view text) {
    svg.path(x, y - 4, "h22", style);
    svg.text(x + 29, y, text);
    x += 52 + 6.6 * static_cast<double>(text.size());
  };
  place(demand_style, "demand");
  place(supply_style, "supply of the slot");
  place(line_style, "straight line below it");
  place(diagonal_style, "processor of its own");
  place("stroke=\"#222\" stroke-width=\"4\"", "least left");
  place("stroke=\"#d00000\" stroke-width=\"4\"", "what is short");
}

}  // namespace

void draw_bounds(std::ostream& svg) {
  constexpr double left = 60;
  constexpr double right = picture_width - 20 - panel::width;
  constexpr double upper = 150;
  constexpr double lower = upper + panel::height + 110;
  sheet page{
      svg, lower + panel::height + 48, "Of two tests, each accepts a set that the other rejects (Theorem 5)",
      "Above: any releases, against the supply of the slot. Below: strictly periodic jobs, by their abstractions. "
      "Kernels: (work, deadline, period); slots: (offset, budget, period)."};
  write_legend(page.svg);
  constexpr served_set first = phases_fit();
  constexpr served_set second = phases_differ();
  draw_supply_test(page.svg, left, upper, first, 40 * ms, 40 * ms);
  draw_abstraction_test(page.svg, left, lower, first, 40 * ms, 40 * ms);
  draw_supply_test(page.svg, right, upper, second, 30 * ms, 35 * ms);
  draw_abstraction_test(page.svg, right, lower, second, 30 * ms, 35 * ms);
}

}  // namespace takt::pictures
