// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "small_study.hpp"

namespace {

using namespace takt::studies;
using takt::test::small_study;

[[nodiscard]] auto small_result() -> result {
  const study what = small_study();
  return run(what, settings{what.parameters});
}

[[nodiscard]] auto occurrences(const std::string& text, const std::string& part) -> int {
  int out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) { ++out; }
  return out;
}

}  // namespace

TEST_CASE("the script of a picture has each panel with its share of sets, one legend, and the parameters") {
  result r = small_result();
  r.designed.title = "It's";
  const std::string script = picture_script(r, "a.svg");
  CHECK(script.starts_with("set terminal svg size "));
  CHECK(script.find("set label 1 'It''s' at screen") != std::string::npos);
  CHECK(script.find("seed 1  ·  sets 25") != std::string::npos);
  CHECK(occurrences(script, "set title ") == 2);
  CHECK(occurrences(script, "title 'low'") == 1);
  CHECK(occurrences(script, "$c0 << EOD") == 2);
  const auto low = static_cast<double>(r.counts.counts(0, 2)[0]);
  CHECK(script.find("1.5 " + takt::report::fixed(low * 4, 4) + "\n") != std::string::npos);
  CHECK(picture_script(r, "a.png").starts_with("set terminal pngcairo size "));
}

TEST_CASE("a result without curves, and a picture that cannot be written, are refused") {
  result r = small_result();
  CHECK_THROWS_WITH_AS(draw_picture(r, "/dev/null/a.svg"), doctest::Contains("cannot be written"), failure);
  r.designed.panels.clear();
  CHECK_THROWS_AS(static_cast<void>(picture_script(r, "a.svg")), refusal);
}

TEST_CASE("gnuplot draws the script, or it is said that gnuplot is missing") {
  const takt::test::scratch_folder folder{"picture"};
  std::filesystem::create_directories(folder.name());
  const std::string path = folder.file("a.svg").string();
  if (std::system("command -v gnuplot >/dev/null") != 0) {
    CHECK_THROWS_WITH_AS(draw_picture(small_result(), path), doctest::Contains("gnuplot is missing"), failure);
    return;
  }
  draw_picture(small_result(), path);
  const std::string picture = takt::test::bytes_of(path);
  CHECK(picture.find("</svg>") != std::string::npos);
  CHECK(picture.find("accepted (%)") != std::string::npos);
}
