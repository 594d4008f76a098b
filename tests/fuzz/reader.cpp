// SPDX-License-Identifier: Apache-2.0
// Bytes as a task-set file: refused with `input_error`, or read, and then what is written reads back the same.
#include <memory>
#include <sstream>
#include <string>

#include "failure.hpp"
#include "files/workload_file.hpp"
#include "json_value.hpp"
#include "target.hpp"

namespace {

using namespace takt::program;

void require_same(const workload_file& file, const std::string& written) {
  try {
    if (!same_values(file, *read_workload(parse_json(written)))) {
      takt::fuzz::fail("a file that was written reads differently", written);
    }
  } catch (const input_error& e) {
    takt::fuzz::fail("a file that was written is refused at " + e.where + ": " + e.problem, written);
  }
}

}  // namespace

auto LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) -> int {
  std::unique_ptr<workload_file> file;
  try {
    const json_value document = parse_json(takt::fuzz::text_of(data, size));
    try {
      (void)options_of(document);
    } catch (const input_error&) {  // It looks at variants that are not chosen, too, which the reader leaves alone.
    }
    file = read_workload(document);
  } catch (const input_error&) { return 0; }
  std::ostringstream laid_out;
  print_workload(laid_out, *file);
  require_same(*file, laid_out.str());
  std::ostringstream line;
  print_in_one_line(line, *file);
  require_same(*file, line.str());
  return 0;
}
