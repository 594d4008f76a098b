// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <takt/analysis/analyze_accelerator.hpp>
#include <takt/report/json.hpp>

#include "accelerator_file.hpp"

namespace takt::program {

using accelerator_judgement = accelerator_verdict<ticks, max_tasks>;

[[nodiscard]] auto platform_text(const accelerator_file& file) -> std::string;

/// What each part of a verdict says; nothing where its tasks say it with bounds of their own.
[[nodiscard]] auto findings_of(const accelerator_judgement& v) -> std::vector<std::string>;

/// The members "platform" and "allocation" of a verdict, and "tests".
void write_platform(report::json_writer& json, const accelerator_file& file);
void write_tests(report::json_writer& json, const accelerator_judgement& v);

}  // namespace takt::program
