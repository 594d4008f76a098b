// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../command_line.hpp"

namespace takt::program {

namespace {

using std::string_view;

[[nodiscard]] auto replaced(string_view text, string_view what, string_view by) -> std::string {
  std::string out{text};
  for (std::size_t at = out.find(what); at != std::string::npos; at = out.find(what, at + by.size())) {
    out.replace(at, what.size(), by);
  }
  return out;
}

/// A word for any of the shells.
[[nodiscard]] auto shell_word(string_view text) -> std::string { return "'" + replaced(text, "'", R"('\'')") + "'"; }

[[nodiscard]] auto takes_value(const CLI::Option& option) -> bool { return option.get_items_expected_max() > 0; }

enum class place : std::uint8_t { file, folder, none };

/// Where the values of an option are to be found if they are no words.
[[nodiscard]] auto place_of(const CLI::Option& option) -> place {
  const std::string name = option.get_positional() ? option.get_name() : option.get_type_name();
  if (name == "FILE" || name == "MODEL") { return place::file; }
  return name == "DIR" ? place::folder : place::none;
}

[[nodiscard]] auto long_names(const CLI::Option& option) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const std::string& name : option.get_lnames()) { out.push_back("--" + name); }
  return out;
}

template <class Found>
void for_each_option(CLI::App& command, const Found& found) {
  for (CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) { found(*option); }
  }
}
template <class Found>
void for_each_positional(CLI::App& command, const Found& found) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_positional()) { found(*option); }
  }
}

/// What bash offers for a value.
[[nodiscard]] auto bash_values(CLI::Option& option) -> std::string {
  if (const auto words = words_of(option); !words.empty()) {
    const char* const form = option.get_delimiter() == '\0'
                                 ? R"(COMPREPLY=($(compgen -W {} -- "$word")))"
                                 : R"(COMPREPLY=($(compgen -P "${{word%"${{word##*,}}"}}" -W {} -- "${{word##*,}}")))";
    return fmt::format(fmt::runtime(form), shell_word(fmt::format("{}", fmt::join(words, " "))));
  }
  switch (place_of(option)) {
    case place::file: return R"(compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")))";
    case place::folder: return R"(compopt -o filenames; COMPREPLY=($(compgen -d -- "$word")))";
    case place::none: break;
  }
  return "COMPREPLY=()";
}

/// The values of an option as zsh's _arguments wants them.
[[nodiscard]] auto zsh_values(CLI::Option& option) -> std::string {
  const std::string name = option.get_positional() ? option.get_name() : option.get_type_name();
  if (const auto words = words_of(option); !words.empty()) {
    const std::string list = fmt::format("{}", fmt::join(words, " "));
    return option.get_delimiter() == '\0' ? fmt::format("{}:({})", name, list)
                                          : fmt::format("{}:_values -s , {} {}", name, name, list);
  }
  switch (place_of(option)) {
    case place::file: return name + ":_files";
    case place::folder: return name + ":_files -/";
    case place::none: break;
  }
  return name + ": ";
}

[[nodiscard]] auto zsh_text(string_view text) -> std::string {
  std::string out{text};
  for (const char* const special : {"[", "]", ":"}) { out = replaced(out, special, std::string{"\\"} + special); }
  return out;
}

void add_zsh_options(CLI::App& command, std::string& out, string_view margin) {
  for_each_option(command, [&](CLI::Option& option) {
    for (const std::string& name : long_names(option)) {
      const std::string values = takes_value(option) ? ":" + zsh_values(option) : "";
      out += fmt::format(" \\\n{}{}", margin,
                         shell_word(fmt::format("{}{}[{}]{}", name, values.empty() ? "" : "=",
                                                zsh_text(option.get_description()), values)));
    }
  });
}

}  // namespace

auto bash_completion(CLI::App& app) -> std::string {
  const std::string commands = fmt::format("{}", fmt::join(command_names(app), "|"));
  std::string values;
  std::string positions;
  std::string flags;
  const auto add = [&](CLI::App& command, const std::string& name) {
    std::vector<std::string> options;
    for_each_option(command, [&](CLI::Option& option) {
      for (const std::string& long_name : long_names(option)) {
        options.push_back(long_name);
        if (!takes_value(option)) { continue; }
        values += fmt::format("    '{} {}') {}; return ;;\n", name, long_name, bash_values(option));
      }
    });
    int position = 0;
    for_each_positional(command, [&](CLI::Option& option) {
      positions += fmt::format("    '{} {}') {} ;;\n", name, position++, bash_values(option));
    });
    flags += fmt::format("    '{}') options={} ;;\n", name, shell_word(fmt::format("{}", fmt::join(options, " "))));
  };
  add(app, "");
  for (CLI::App* command : all_commands(app)) { add(*command, command->get_name()); }
  std::string globals;  // an option of all commands takes its value after any of them
  for_each_option(app, [&](CLI::Option& option) {
    for (const std::string& name : long_names(option)) {
      if (takes_value(option)) { globals += fmt::format("    {}) {}; return ;;\n", name, bash_values(option)); }
    }
  });
  return fmt::format(R"(# Completion of takt for bash, as "takt completion bash" prints it.
_takt() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local command= options= i place=0
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      {commands}) command=${{COMP_WORDS[i]}}; break ;;
    esac
  done
  COMPREPLY=()
  case "$command $before" in
{values}  esac
  case $before in
{globals}  esac
  case $command in
{flags}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  if [[ -z $command ]]; then
    COMPREPLY=($(compgen -W {words} -- "$word"))
    return
  fi
  for ((i++; i < COMP_CWORD; i++)); do
    case "$command ${{COMP_WORDS[i-1]}}" in
{skips}      *) [[ ${{COMP_WORDS[i]}} == -* ]] || ((place++)) ;;
    esac
  done
  case "$command $place" in
{positions}  esac
}}
complete -F _takt takt
)",
                     fmt::arg("commands", commands), fmt::arg("values", values), fmt::arg("globals", globals),
                     fmt::arg("flags", flags), fmt::arg("positions", positions),
                     fmt::arg("words", shell_word(fmt::format("{}", fmt::join(command_names(app), " ")))),
                     fmt::arg("skips", [&] {
                       std::string out;
                       for (CLI::App* command : all_commands(app)) {
                         for_each_option(*command, [&](CLI::Option& option) {
                           for (const std::string& name : long_names(option)) {
                             if (takes_value(option)) {
                               out += fmt::format("      '{} {}') ;;\n", command->get_name(), name);
                             }
                           }
                         });
                       }
                       return out;
                     }()));
}

auto zsh_completion(CLI::App& app) -> std::string {
  std::string commands;
  std::string cases;
  for (CLI::App* command : all_commands(app)) {
    commands += fmt::format("    {}\n", shell_word(command->get_name() + ":" + zsh_text(command->get_description())));
    cases += fmt::format("      {})\n        _arguments", command->get_name());
    add_zsh_options(*command, cases, "          ");
    int position = 1;
    for_each_positional(*command, [&](CLI::Option& option) {
      cases += fmt::format(" \\\n          {}", shell_word(fmt::format("{}:{}", position++, zsh_values(option))));
    });
    cases += " ;;\n";
  }
  std::string globals;
  add_zsh_options(app, globals, "    ");
  return fmt::format(R"(#compdef takt
# Completion of takt for zsh, as "takt completion zsh" prints it.
_takt() {{
  local context state state_descr line
  typeset -A opt_args
  local -a commands=(
{}  )
  _arguments -C{} \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument) case $words[1] in
{}    esac ;;
  esac
}}
if [[ $funcstack[1] == _takt ]]; then _takt "$@"; else compdef _takt takt; fi
)",
                     commands, globals, cases);
}

auto fish_completion(CLI::App& app) -> std::string {
  std::string out = "# Completion of takt for fish, as \"takt completion fish\" prints it.\ncomplete -c takt -f\n";
  const std::string none =
      shell_word(fmt::format("not __fish_seen_subcommand_from {}", fmt::join(command_names(app), " ")));
  const auto add_values = [&out](CLI::Option& option) {
    if (const auto words = words_of(option); !words.empty()) {
      out += fmt::format(" -x -a {}", shell_word(fmt::format("{}", fmt::join(words, " "))));
    } else {
      out += place_of(option) == place::none ? " -x" : " -r -F";
    }
  };
  const auto add_options = [&](CLI::App& command, const std::string& where) {
    for_each_option(command, [&](CLI::Option& option) {
      for (const std::string& name : option.get_lnames()) {
        out += fmt::format("complete -c takt{} -l {} -d {}", where, name, shell_word(option.get_description()));
        if (takes_value(option)) { add_values(option); }
        out += '\n';
      }
    });
  };
  add_options(app, "");
  for (CLI::App* command : all_commands(app)) {
    out += fmt::format("complete -c takt -n {} -a {} -d {}\n", none, command->get_name(),
                       shell_word(command->get_description()));
    const std::string here = " -n " + shell_word("__fish_seen_subcommand_from " + command->get_name());
    add_options(*command, here);
    for_each_positional(*command, [&](CLI::Option& option) {
      if (const auto words = words_of(option); !words.empty()) {
        out += fmt::format("complete -c takt{} -a {}\n", here, shell_word(fmt::format("{}", fmt::join(words, " "))));
      } else if (place_of(option) != place::none) {
        out += fmt::format("complete -c takt{} -F\n", here);
      }
    });
  }
  return out;
}

}  // namespace takt::program
