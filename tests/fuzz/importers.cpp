// SPDX-License-Identifier: Apache-2.0
// Bytes as an AMALTHEA model: refused with `input_error`, or read, and then its task set goes back into the model.
#include <string>

#include <nlohmann/json.hpp>

#include "failure.hpp"
#include "files/workload_file.hpp"
#include "import/amalthea_audit.hpp"
#include "import/amalthea_export.hpp"
#include "import/amalthea_workload.hpp"
#include "json_value.hpp"
#include "target.hpp"

auto LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) -> int {
  using namespace takt::program;
  try {
    const xml_file model{std::string{takt::fuzz::text_of(data, size)}};
    const amalthea_model read = read_amalthea({&model});
    const auto workload = read_workload(parse_json(workload_of(read, "model").dump()));
    (void)audit(model.root());
    const xml_file planned{with_plan(model, read, *workload)};
    (void)workload_of(read_amalthea({&planned}), "model");
  } catch (const input_error&) { return 0; }
  return 0;
}
