// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

/// Returns the deadline that jobs of a task have to meet, from the nominal release; `no_event` for none.
[[nodiscard]] constexpr auto declared_deadline(const flow_record& t) noexcept -> ticks {
  return t.limited ? t.deadline : no_event;
}

}  // namespace takt::inline TAKT_ABI::host
