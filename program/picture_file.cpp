// SPDX-License-Identifier: Apache-2.0
#include "picture_file.hpp"

#include <fmt/format.h>

#include "failure.hpp"
#include "png_file.hpp"
#include "text_file.hpp"

namespace takt::program {

namespace {

[[nodiscard]] auto is_png(const std::string& path) -> bool { return path.ends_with(".png"); }

}  // namespace

auto picture_fault(const std::string& path) -> std::string {
  if (!is_png(path) && !path.ends_with(".svg")) {
    return fmt::format("\"{}\" is no name of a picture: expected a name that ends in .svg or .png", path);
  }
  if (is_png(path) && !png_maker_is_installed()) {
    throw environment_error{
        fmt::format("{}: a PNG is made by {}, which is not installed (Debian: librsvg2-bin); "
                    "a name that ends in .svg needs nothing",
                    path, png_maker)};
  }
  return {};
}

void write_picture(const std::string& path, const std::function<void(std::ostream&)>& draw) {
  if (is_png(path)) {
    write_png(path, draw);
  } else {
    write_file(path, draw);
  }
}

}  // namespace takt::program
