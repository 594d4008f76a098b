// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bodies of all servers that takt's rules make. Who makes stations of rules needs them; who names rules does not.
#include <takt/rules/accelerator/event_driven_gang.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/accelerator/slotted_cores.hpp>
#include <takt/rules/servers/block_queue_server.hpp>
#include <takt/rules/servers/context_server.hpp>
#include <takt/rules/servers/kernel_server.hpp>
#include <takt/rules/servers/share_server.hpp>
#include <takt/rules/servers/unit_server.hpp>
