// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace takt::program {

/// The words that an option takes, where it takes words.
[[nodiscard]] auto words_of(CLI::Option& option) -> std::vector<std::string>;
/// A check that lets nothing but these words pass.
[[nodiscard]] auto one_of(const std::vector<std::string>& words) -> CLI::Validator;
/// The words are what most people want; others are judged later.
[[nodiscard]] auto such_as(const std::vector<std::string_view>& words) -> CLI::Validator;
[[nodiscard]] auto all_commands(CLI::App& app) -> std::vector<CLI::App*>;
[[nodiscard]] auto command_names(CLI::App& app) -> std::vector<std::string>;

/// An option whose words stand for values. The library's own transformers would print enumerators as characters.
template <class E, class V>
void add_choice(CLI::App& command, const std::string& name, V& value,
                const std::vector<std::pair<std::string, E>>& words, const std::string& about) {
  std::vector<std::string> names;
  for (const auto& [word, meaning] : words) { names.push_back(word); }
  command
      .add_option_function<std::string>(
          name,
          [&value, words](const std::string& given) {
            for (const auto& [word, meaning] : words) {
              if (word == given) { value = meaning; }
            }
          },
          about + ": " + CLI::detail::join(names, ", "))
      ->type_name("NAME")
      ->check(one_of(names));
}

/// Whole numbers. The library's own conversion would wrap what is below 0 and cut what is too large.
void add_number(CLI::App& command, const std::string& name, std::uint64_t& value, const std::string& about);
void add_count(CLI::App& command, const std::string& name, std::int32_t& value, std::int32_t least, std::int32_t most,
               const std::string& about);
/// The name of a picture to be drawn.
void add_picture(CLI::App& command, std::string& file, const std::string& about);

/// What is wrong with the arguments of a call: option, problem, and what is expected.
[[nodiscard]] auto complaint_of(CLI::App& app, const CLI::ParseError& error) -> std::string;
[[nodiscard]] auto unknown_command(CLI::App& app, std::string_view given) -> std::string;

/// What --help prints, of one command or, where it is empty, of the program.
[[nodiscard]] auto help_of(CLI::App& app, const std::string& command) -> std::string;
/// Made of the description that also reads the arguments, so they say what the program takes.
[[nodiscard]] auto bash_completion(CLI::App& app) -> std::string;
[[nodiscard]] auto zsh_completion(CLI::App& app) -> std::string;
[[nodiscard]] auto fish_completion(CLI::App& app) -> std::string;
/// A page for man(1).
[[nodiscard]] auto manual_page(CLI::App& app, std::string_view version) -> std::string;

}  // namespace takt::program
