// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/model/plan.hpp>
#include <takt/report/table.hpp>

namespace takt::inline TAKT_ABI::report::detail {

/// "cores: camera 0, lidar 1" of the entries of a part that count; empty where none does.
template <class Part, class Names, class Value, class Counts>
void add_part_words(std::vector<std::string>& out, std::string_view what, const Part& part, const Names& names,
                    const Value& value, const Counts& counts) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (counts(part[i])) { all.push_back(std::string{names(i)} + " " + std::to_string(value(part[i]))); }
  }
  if (!all.empty()) { out.push_back(std::string{what} + ": " + joined(all)); }
}

/// Adds who has which part of the GPUs. `names(i)` is what task i is called.
template <std::size_t N, std::size_t V, class Names>
void add_share_words(std::vector<std::string>& out, const plan<N, V>& p, const Names& names, std::string_view sms,
                     bool several_gpus) {
  const auto has_sms = [](const sm_share& s) { return s.sms > 0; };
  add_part_words(out, sms, p.shares, names, [](const sm_share& s) { return s.sms; }, has_sms);
  if (several_gpus) {
    add_part_words(out, "GPU", p.shares, names, [](const sm_share& s) { return s.gpu; }, has_sms);
  }
  add_part_words(
      out, "per cent of the GPU", p.percents, names, [](std::int32_t n) { return n; },
      [](std::int32_t n) { return n > 0; });
}

/// Says where tasks are, which goes first, and whether visits wait for an offset.
template <std::size_t N, std::size_t V, class Names>
void add_place_words(std::vector<std::string>& out, const plan<N, V>& p, const Names& names, bool several_cores) {
  const auto itself = [](std::int32_t n) { return n; };
  const auto always = [](std::int32_t /*entry*/) { return true; };
  if (several_cores) { add_part_words(out, "cores", p.cores, names, itself, always); }
  add_part_words(out, "priorities", p.priorities, names, itself, always);
  if (!p.offsets.empty()) { out.emplace_back("offsets and local deadlines of visits"); }
}

}  // namespace takt::inline TAKT_ABI::report::detail
