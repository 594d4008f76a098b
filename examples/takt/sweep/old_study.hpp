// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine.hpp"
#include "study.hpp"

namespace takt::program::old_sweep {

using sweep::counter;
using sweep::curve;
using sweep::measure;
using sweep::panel;
using sweep::parameter;
using sweep::settings;
using sweep::stroke;
using sweep::tally;
using sweep::thousandths_text;
using sweep::unit;

struct series {
  std::vector<std::string> cells;
};

struct experiment {
  std::string title;
  std::string level_title;
  std::string level_name;
  std::string share_title;
  measure measured = measure::sets;
  std::vector<std::int64_t> levels;
  std::int64_t sets = 0;
  std::int64_t sets_per_unit = 10;
  std::vector<std::string> keys;
  std::vector<old_sweep::series> all_series;
  std::vector<std::string> columns;
  std::vector<panel> panels;
  std::size_t panels_per_row = 3;
  std::function<std::vector<std::string>(const tally&)> remarks;
  std::function<counter()> make_counter;
};

struct study {
  std::string_view name;
  std::string_view about;
  std::vector<parameter> parameters;
  std::function<experiment(const settings&)> design;
};

[[nodiscard]] inline auto adapt(std::vector<study> from) -> std::vector<sweep::study> {
  std::vector<sweep::study> out;
  for (study& s : from) {
    out.push_back({s.name, s.about, {}, s.parameters, [design = s.design](const settings& with, sweep::experiment& e) {
                     experiment o = design(with);
                     e.title = o.title;
                     e.level_name = o.level_name;
                     e.level_title = o.level_title;
                     e.share_title = o.share_title;
                     e.keys = o.keys;
                     e.columns = o.columns;
                     e.measured = o.measured;
                     e.levels = o.levels;
                     e.sets = o.sets;
                     e.sets_per_unit = o.sets_per_unit;
                     for (auto& x : o.all_series) { e.series.push_back(x.cells); }
                     e.panels = o.panels;
                     e.panels_per_row = o.panels_per_row;
                     e.remarks = o.remarks;
                     e.count = [make = o.make_counter, own = counter{}](const unit& u,
                                                                        std::span<std::int64_t> counts) mutable {
                       if (!own) { own = make(); }
                       own(u, counts);
                     };
                   }});
  }
  return out;
}

}  // namespace takt::program::old_sweep
