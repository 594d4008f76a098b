// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fields.hpp"
#include "picture_file.hpp"

namespace takt::program {

namespace {

template <class Number>
[[nodiscard]] auto whole_number(Number least, Number most) -> CLI::Validator {
  const auto check = [least, most](const std::string& given) -> std::string {
    Number number = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
    const bool whole = error == std::errc{} && end == given.data() + given.size();
    if (whole && number >= least && number <= most) { return {}; }
    const bool below =
        given.size() > 1 && given[0] == '-' && given.find_first_not_of("0123456789", 1) == std::string::npos;
    const bool elsewhere = whole || below || error == std::errc::result_out_of_range;
    const char* const problem = elsewhere ? "is out of range" : "is no integer";
    return fmt::format("\"{}\" {}: expected an integer from {} to {}", given, problem, least, most);
  };
  return {check, ""};
}

[[nodiscard]] auto views_of(const std::vector<std::string>& words) -> std::vector<std::string_view> {
  return {words.begin(), words.end()};
}

[[nodiscard]] auto option_names(CLI::App& command) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) { out.push_back("--" + name); }
  }
  return out;
}

[[nodiscard]] auto unknown_option(CLI::App& app, CLI::App& command, const std::string& given) -> std::string {
  const std::string name = given.substr(0, given.find('='));
  std::vector<std::string> all = option_names(command);
  if (&command != &app) { std::ranges::copy(option_names(app), std::back_inserter(all)); }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  const std::string whose = &command == &app ? "takt" : "takt " + command.get_name();
  return fmt::format("{}: is no option of {}, the nearest is {}: expected {}", name, whose,
                     nearest(name, views_of(all)), fmt::join(all, ", "));
}

/// The option of which a message of the library speaks first.
[[nodiscard]] auto option_in(CLI::App& command, std::string_view message) -> CLI::Option* {
  for (CLI::Option* option : command.get_options()) {
    if (message.starts_with(option->get_name()) && !option->get_name().empty()) { return option; }
  }
  return nullptr;
}

}  // namespace

auto words_of(CLI::Option& option) -> std::vector<std::string> {
  std::vector<std::string> out;
  try {
    std::istringstream words{option.get_validator(0)->get_name()};
    for (std::string word; words >> word;) { out.push_back(word); }
  } catch (const CLI::OptionNotFound&) { return {}; }  // there is no check
  return out;
}

auto one_of(const std::vector<std::string>& words) -> CLI::Validator {
  const auto check = [words](const std::string& given) -> std::string {
    if (std::ranges::find(words, given) != words.end()) { return {}; }
    return fmt::format("\"{}\" is unknown, the nearest is \"{}\": expected {}", given, nearest(given, views_of(words)),
                       fmt::join(words, ", "));
  };
  return {check, "", fmt::format("{}", fmt::join(words, " "))};
}

auto such_as(const std::vector<std::string_view>& words) -> CLI::Validator {
  return {[](const std::string& /*given*/) { return std::string{}; }, "", fmt::format("{}", fmt::join(words, " "))};
}

auto all_commands(CLI::App& app) -> std::vector<CLI::App*> {
  return app.get_subcommands([](const CLI::App* /*command*/) { return true; });
}

auto command_names(CLI::App& app) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const CLI::App* command : all_commands(app)) { out.push_back(command->get_name()); }
  return out;
}

void add_number(CLI::App& command, const std::string& name, std::uint64_t& value, const std::string& about) {
  command.add_option(name, value, about)
      ->type_name("N")
      ->check(whole_number(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()));
}

void add_count(CLI::App& command, const std::string& name, std::int32_t& value, std::int32_t least, std::int32_t most,
               const std::string& about) {
  command.add_option(name, value, about)->type_name("N")->check(whole_number(least, most));
}

void add_picture(CLI::App& command, std::string& file, const std::string& about) {
  command.add_option("--svg", file, about + "; a name that ends in .png gives that")
      ->type_name("FILE")
      ->check(CLI::Validator{picture_fault, ""});
}

auto help_of(CLI::App& app, const std::string& command) -> std::string {
  const CLI::App& about = command.empty() ? app : *app.get_subcommand(command);
  const std::string name = command.empty() ? app.get_name() : app.get_name() + " " + command;
  return app.get_formatter()->make_help(&about, name, CLI::AppFormatMode::Normal);
}

auto unknown_command(CLI::App& app, std::string_view given) -> std::string {
  const auto names = command_names(app);
  return fmt::format("there is no command \"{}\", the nearest is \"{}\": expected {}", given,
                     nearest(given, views_of(names)), fmt::join(names, ", "));
}

auto complaint_of(CLI::App& app, const CLI::ParseError& error) -> std::string {
  const auto chosen = app.get_subcommands();
  CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::vector<std::string> extra = app.remaining(true);
  for (const std::string& word : extra) {
    if (word.starts_with('-')) { return unknown_option(app, command, word); }
  }
  if (!extra.empty() && chosen.empty()) { return unknown_command(app, extra.front()); }
  if (!extra.empty()) {
    return fmt::format("\"{}\" is one argument too many: expected what takt help {} says", extra.front(),
                       command.get_name());
  }
  const CLI::Option* const about = option_in(command, error.what());
  if (about != nullptr && error.get_name() == "RequiredError") {
    return fmt::format("{}: is missing: expected {}", about->get_name(), about->get_description());
  }
  if (about != nullptr && error.get_name() == "ArgumentMismatch") {
    return fmt::format("{}: has no value: expected {}, {}", about->get_name(), about->get_type_name(),
                       about->get_description());
  }
  return error.what();
}

}  // namespace takt::program
