// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <takt/report/visible.hpp>

#include "../command.hpp"
#include "../failure.hpp"
#include "../files/workload_file.hpp"
#include "../json_value.hpp"
#include "../side_files.hpp"
#include "../standard_error.hpp"
#include "../text_file.hpp"
#include "amalthea_audit.hpp"
#include "amalthea_export.hpp"
#include "amalthea_page.hpp"
#include "amalthea_workload.hpp"

namespace takt::program {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t line_length = 110;

/// On one line what fits there, and the parts of all else on lines of their own. Characters that act on what shows them
/// stand in strings by their numbers.
void print(std::ostream& out, const ordered_json& v, std::size_t depth) {
  const std::string all = report::visible(v.dump());
  if (!v.is_structured() || (depth > 0 && all.size() + 2 * depth <= line_length)) {
    out << all;
    return;
  }
  const std::string indent(2 * (depth + 1), ' ');
  out << (v.is_array() ? "[" : "{");
  const char* between = "\n";
  for (const auto& [key, item] : v.items()) {
    out << between << indent;
    if (v.is_object()) { out << report::visible(ordered_json(key).dump()) << ": "; }
    print(out, item, depth + 1);
    between = ",\n";
  }
  out << '\n' << std::string(2 * depth, ' ') << (v.is_array() ? "]" : "}");
}

void print_report(const xml_file& model) {
  std::size_t all = 0;
  for (const audited_kind& u : audit(model.root())) {
    const std::string_view how = u.how == treatment::left_out ? "left out" : "harmless";
    say_aside("{}: {}, {} from line {} on\n", how, u.name, u.count, u.first_line);
    all += u.count;
  }
  say_aside("not used: {} elements and attributes in all, those inside of unused ones not counted\n", all);
}

[[nodiscard]] auto read_model(const std::string& path, const std::string& name = {}) -> std::unique_ptr<xml_file> {
  return std::make_unique<xml_file>(read_text_file(path, max_model_bytes, "model"), name);
}

/// The files that are named, and those with the name of a model in a folder that is.
[[nodiscard]] auto model_files(const std::vector<std::string>& given) -> std::vector<std::string> {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  for (const std::string& one : given) {
    std::error_code none;
    if (!fs::is_directory(one, none)) {
      out.push_back(one);
      continue;
    }
    const std::size_t before = out.size();
    for (const fs::directory_entry& entry : fs::directory_iterator{one, none}) {
      if (entry.path().extension() == ".amxmi") { out.push_back(entry.path().string()); }
    }
    if (out.size() == before) { throw input_error{one, "has no model in it", "files that end in .amxmi"}; }
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
  }
  return out;
}

[[nodiscard]] auto name_of_model(const std::vector<std::string>& given) -> std::string {
  const std::filesystem::path first{given.front()};
  return first.has_stem() ? first.stem().string() : first.parent_path().stem().string();
}

[[nodiscard]] auto export_amalthea(const export_options& o) -> exit_code {
  const auto plan = read_workload(parse_json(read_text_file(o.file)));
  try_files({o.file}, {{"--write", o.written_file}});
  std::string text;
  try {
    const auto model = read_model(o.model_file);
    text = with_plan(*model, read_amalthea({model.get()}), *plan);
    // It is still a model, and of the same tasks.
    const xml_file again{text};
    static_cast<void>(workload_of(read_amalthea({&again}), plan->name));
  } catch (input_error& e) {
    // Places in the plan are JSON pointers.
    if (!e.where.starts_with('/')) {
      e.where = e.where.empty() ? o.model_file : fmt::format("{}: {}", o.model_file, e.where);
    }
    throw;
  }
  if (o.written_file.empty()) {
    std::cout << text;
  } else {
    write_file(o.written_file, [&](std::ostream& to) { to << text; });
    fmt::print("mapping, priorities and time slices of {} tasks written to {}\n", plan->tasks.size(), o.written_file);
    if (!plan->rules.gpus.sharing.empty()) {
      fmt::print("  note: the way of sharing the GPU, {}, has no place in a model\n", plan->rules.gpus.sharing);
    }
    for (const std::string& words : words_of_file(*plan)) { fmt::print("  note: {}\n", words); }
  }
  return exit_code::ok;
}

}  // namespace

auto import_command(const import_options& o) -> exit_code {
  if (o.table) {
    print_metamodel(std::cout);
    return exit_code::ok;
  }
  if (o.files.empty()) { throw input_error{"FILE", "is missing", "a model"}; }
  const std::vector<std::string> paths = model_files(o.files);
  try_files(paths, {{"--write", o.written_file}});
  std::vector<std::unique_ptr<xml_file>> models;
  std::vector<const xml_file*> files;
  for (const std::string& path : paths) {
    const std::string name = paths.size() > 1 ? path : "";
    try {
      models.push_back(read_model(path, name));
    } catch (input_error& e) {
      if (e.where.empty()) { e.where = name; }
      throw;
    }
    files.push_back(models.back().get());
  }
  const auto workload = workload_of(read_amalthea(files), name_of_model(o.files));
  // What takt could not read again is not written.
  static_cast<void>(read_workload(parse_json(workload.dump())));
  if (o.written_file.empty()) {
    print(std::cout, workload, 0);
    std::cout << '\n';
  } else {
    write_file(o.written_file, [&](std::ostream& to) {
      print(to, workload, 0);
      to << '\n';
    });
    fmt::print("{} tasks written to {}\n", workload["tasks"].size(), o.written_file);
    for (const auto& note : workload.value("notes", ordered_json::array())) {
      fmt::print("  note: {}\n", report::visible(note.get<std::string>()));
    }
    for (const auto& kind : workload.value("incomplete", ordered_json::array())) {
      fmt::print("  left out: {} ({}): {}\n", kind["kind"].get<std::string>(), kind["count"].get<std::int64_t>(),
                 kind["because"].get<std::string>());
    }
  }
  if (o.report) {
    for (const auto& model : models) { print_report(*model); }
  }
  return exit_code::ok;
}

auto model_formats() -> std::vector<model_format> {
  return {{"amalthea", "a model of APP4MC, 0.7 to 3.x", &export_amalthea}};
}

}  // namespace takt::program
