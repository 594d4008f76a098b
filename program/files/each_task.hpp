// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace takt::program {

/// Calls `with(task)` for the object of each task of a document, in the order of tables.
template <class Document, class With>
void for_each_task(Document& document, const With& with) {
  for (const std::string_view list : {"graphs", "tasks"}) {
    for (auto& part : document.items) {
      if (part.key != list) { continue; }
      for (auto& task : part.items) { with(task); }
    }
  }
}

}  // namespace takt::program
