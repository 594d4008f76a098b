// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/report/text.hpp>
#include <takt/study/counters.hpp>
#include <takt/study/study.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Draws set `number` of a level in thousandths. Each depends on the settings, the level and the number alone.
template <class Workload>
using drawer = std::function<std::unique_ptr<Workload>(std::int64_t level, std::uint64_t number)>;

/// Random sets of one kind.
template <class Workload>
struct set_generator {
  std::string name;
  std::string about;
  std::vector<parameter> parameters;  ///< besides `seed`
  std::string level_name;             ///< what rises: "utilization"
  std::string levels;                 ///< those of a study that names none; empty: its sets have no level
  /// Returns the function that draws. May throw `refusal`.
  std::function<drawer<Workload>(const settings&)> prepare;
};

/// Accepts some of the sets: an analysis, a way of sharing the GPU.
template <class Workload>
struct acceptance_method {
  std::string column;
  std::string title;
  std::function<bool(const Workload&)> accepts;  ///< each thread has a copy
};

/// Counts how many random sets each of several methods accepts: all methods judge the same sets, so that any two can be
/// compared set by set.
template <class Workload>
struct acceptance_study {
  std::string name;
  std::string title;
  set_generator<Workload> generator;
  std::vector<parameter> parameters;  ///< beyond those of the generator, or with other values
  /// Returns the methods that the settings ask for. May throw `refusal`.
  std::function<std::vector<acceptance_method<Workload>>(const settings&)> methods;

  /// Returns its parameters and its generator's, with "vary": the one parameter whose values are panels of their own.
  [[nodiscard]] auto all_parameters() const -> std::vector<parameter> {
    std::vector<parameter> out{{"seed", "1", "of everything that is drawn"},
                               {"sets", "100", "task sets per level", 1, unit::most_sets},
                               {"levels", generator.levels, generator.level_name}};
    out = with(std::move(out), stopping_parameters());
    out = with(std::move(out), generator.parameters);
    out = with(std::move(out), {{"vary", "", "NAME:A,B,..: a panel for each value of a parameter"}});
    return with(std::move(out), parameters);
  }

  [[nodiscard]] auto as_study() const -> study {
    return {name,
            title,
            {title, generator.level_name, generator.level_name, "accepted task sets (%)", {}, {}, measure::sets},
            all_parameters(),
            [self = *this](const settings& s, experiment& e) { self.fill(s, e); }};
  }

 private:
  /// Returns a parameter's name and its values; "generator" and its name where nothing varies.
  [[nodiscard]] auto varied(const settings& s) const -> std::pair<std::string, std::vector<std::string>> {
    const std::string text = s.text("vary");
    if (text.empty()) { return {"generator", {generator.name}}; }
    const std::size_t colon = text.find(':');
    const std::string of = text.substr(0, colon);
    if (colon == std::string::npos || !s.has(of) || of == "vary") {
      throw refusal{"vary", report::text("\"", text, "\" names no parameter and its values"),
                    "a parameter of the generator and values, such as tasks:3,5,7"};
    }
    return {of, detail::texts_of(std::string_view{text}.substr(colon + 1))};
  }

  void fill(const settings& s, experiment& e) const {
    const auto found = methods(s);
    const auto [of, values] = varied(s);
    e.keys = {of};
    for (const auto& m : found) { e.columns.push_back(m.column); }
    std::vector<drawer<Workload>> drawers;
    for (const std::string& value : values) {
      settings each = s;
      if (!s.text("vary").empty()) { each.set(of, value); }
      drawers.push_back(generator.prepare(each));
      e.add_series(value);
      e.add_panel(report::text(of, " ", value));
      for (std::size_t c = 0; c < found.size(); ++c) {
        e.draw(c, found[c].title, static_cast<int>(c), c < detail::drawn_colours ? stroke::solid : stroke::dashed);
      }
    }
    for (std::size_t c = 0; c < found.size(); ++c) { e.paired.push_back(c); }
    e.count = count_pairs(e.paired, [drawers, found](const unit& u, std::int64_t i, row counts) {
      const auto set = drawers[u.series](u.level, u.number(i));
      for (std::size_t c = 0; c < found.size(); ++c) { counts[c] += found[c].accepts(*set) ? 1 : 0; }
    });
  }
};

}  // namespace takt::inline TAKT_ABI::studies
