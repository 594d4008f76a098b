// SPDX-License-Identifier: Apache-2.0
#include "incomplete.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <takt/report/visible.hpp>

#include "parts.hpp"

namespace takt::program {

namespace {

using std::string_view;

constexpr std::int64_t most_omissions = 1'000'000'000;

const table<omitted_kind> omission_table{
    "a kind of element that is left out",
    {{"kind", &omitted_kind::kind, text("the name of the kind"), needed("the name of the kind")},
     {"count", &omitted_kind::count, integer(1, most_omissions), needed("how many there are")},
     {"because", &omitted_kind::because, text("why it can make the system slower"),
      needed("why it can make the system slower")}}};

[[nodiscard]] auto is_acknowledged(const workload_file& file, const omitted_kind& o) -> bool {
  return std::ranges::find(file.acknowledged, o.kind) != file.acknowledged.end();
}

}  // namespace

void read_remarks(const json_value& document, workload_file& out) {
  if (const auto* const remarks = document.find("notes")) {
    constexpr string_view texts = "texts, such as what an import has assumed";
    for (const json_value& remark : require_array(*remarks, texts)) {
      (void)read_text(remark, texts);
      out.remarks.push_back(remark.text);
    }
  }
  if (const auto* const omitted = document.find("incomplete")) {
    for (const json_value& item : require_array(*omitted, "one object per kind of element")) {
      omitted_kind one;
      read_object(item, omission_table, one);
      if (std::ranges::find(out.incomplete, one.kind, &omitted_kind::kind) != out.incomplete.end()) {
        throw input_error{item.where, fmt::format("\"{}\" is there twice", one_line(one.kind, 60)), "each kind once"};
      }
      out.incomplete.push_back(std::move(one));
    }
  }
  const auto* const acknowledged = document.find("acknowledged");
  if (acknowledged == nullptr) { return; }
  constexpr string_view allowed = "kinds that \"incomplete\" lists";
  for (const json_value& item : require_array(*acknowledged, allowed)) {
    const std::string kind = read_text(item, allowed);
    if (std::ranges::find(out.incomplete, kind, &omitted_kind::kind) == out.incomplete.end()) {
      throw input_error{item.where, fmt::format("{} is no kind that is left out", item.quoted()), std::string{allowed}};
    }
    out.acknowledged.push_back(kind);
  }
}

void print_omissions(const workload_file& file, ordered_json& out) {
  for (const omitted_kind& o : file.incomplete) { out["incomplete"].push_back(print_object(o, omission_table)); }
  if (!file.acknowledged.empty()) { out["acknowledged"] = file.acknowledged; }
}

auto omission_keys() -> object_keys { return omission_table.keys(); }

auto is_incomplete(const workload_file& file) -> bool {
  return std::ranges::any_of(file.incomplete, [&](const omitted_kind& o) { return !is_acknowledged(file, o); });
}

auto open_omissions(const workload_file& file) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const omitted_kind& o : file.incomplete) {
    if (is_acknowledged(file, o)) { continue; }
    out.push_back(fmt::format(
        "The file is incomplete, it leaves out {} ({}): {}. Nothing is proven until \"{}\" stands under \"acknowledged\".",
        o.kind, o.count, o.because, o.kind));
  }
  return out;
}

auto acknowledged_omissions(const workload_file& file) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const omitted_kind& o : file.incomplete) {
    if (!is_acknowledged(file, o)) { continue; }
    out.push_back(fmt::format(
        "Nothing is slower than the file says although it leaves out {} ({}), as its user has acknowledged: {}.",
        o.kind, o.count, o.because));
  }
  return out;
}

auto words_of_file(const workload_file& file) -> std::vector<std::string> {
  std::vector<std::string> out = open_omissions(file);
  for (const std::string& a : acknowledged_omissions(file)) { out.push_back("assumed: " + a); }
  for (const std::string& remark : file.remarks) { out.push_back(report::visible(remark)); }
  return out;
}

}  // namespace takt::program
