// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>
#include <takt/core/hosted.hpp>

#include <takt/study/acceptance_study.hpp>
#include <takt/study/counters.hpp>
#include <takt/study/html_page.hpp>
#include <takt/study/interruption.hpp>
#include <takt/study/result_files.hpp>
#include <takt/study/run.hpp>
#include <takt/study/shard.hpp>
#include <takt/study/statistics.hpp>
#include <takt/study/study.hpp>
#include <takt/study/thousandths.hpp>
