// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "observe.hpp"
#include "question.hpp"
#include "rule_wishes.hpp"

namespace takt::program {

// Arguments that several commands take.

void add_file(CLI::App& command, std::string& file);
void add_question(CLI::App& command, question& ask);
void add_wishes(CLI::App& command, rule_wishes& wishes);
void add_json(CLI::App& command, bool& json);
void add_pictures(CLI::App& command, pictures& to);
/// Lists A,B,.. of policies and rules: their words, and that what follows a list is no part of it.
void offer_lists(CLI::App& command);

}  // namespace takt::program
