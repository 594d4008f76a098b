// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

#include <takt/model/workload.hpp>
#include <takt/report/chain_summary.hpp>
#include <takt/report/chrome_trace.hpp>
#include <takt/report/comparison_json.hpp>
#include <takt/report/comparison_order.hpp>
#include <takt/report/comparison_svg.hpp>
#include <takt/report/comparison_table.hpp>
#include <takt/report/draw.hpp>
#include <takt/report/explain.hpp>
#include <takt/report/explanation.hpp>
#include <takt/report/fault_words.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/run_json.hpp>
#include <takt/report/run_summary.hpp>
#include <takt/report/summarize_composed.hpp>
#include <takt/report/svg_chain.hpp>
#include <takt/report/svg_gantt.hpp>
#include <takt/report/table.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/report/verdict_json.hpp>
#include <takt/report/verdict_table.hpp>
