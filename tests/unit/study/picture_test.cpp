// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <utility>

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

TEST_CASE("a picture has each panel with its curve and interval, one legend, and the parameters") {
  result r = small_result();
  r.designed.title = "It's";
  std::ostringstream out;
  write_svg(out, r);
  const std::string picture = out.str();
  CHECK(picture.starts_with("<svg xmlns="));
  CHECK(picture.ends_with("</svg>\n"));
  CHECK(picture.find("It&#39;s") != std::string::npos);
  CHECK(picture.find("seed 1  ·  sets 25") != std::string::npos);
  CHECK(picture.find("accepted (%)") != std::string::npos);
  CHECK(occurrences(picture, "stroke-dasharray") == 3);
  CHECK(occurrences(picture, "fill-opacity") == 2);
  CHECK(occurrences(picture, "<title>low</title>") == 2);
  CHECK(occurrences(picture, ">low</text>") == 1);
}

TEST_CASE("a curve goes through its shares, and its band through their intervals") {
  result r = small_result();
  std::ostringstream out;
  write_svg(out, r);
  const auto y_of = [](double share) { return takt::report::pixels(75 + 300 - 300 * share); };
  const auto low = r.counts.counts(0, 2)[0];
  CHECK(out.str().find(" " + y_of(static_cast<double>(low) / 25) + "\"") != std::string::npos);
  const takt::studies::detail::share_interval i = takt::studies::detail::wilson(low, 25);
  CHECK(out.str().find(" " + y_of(i.most)) != std::string::npos);
  CHECK(out.str().find(" " + y_of(i.least)) != std::string::npos);
}

TEST_CASE("a result without curves is refused") {
  result r = small_result();
  r.designed.panels.clear();
  std::ostringstream out;
  CHECK_THROWS_AS(write_svg(out, r), refusal);
}

TEST_CASE("a page has the curves, the counts, the parameters and who did what, and needs no other file") {
  const result r = small_result();
  std::ostringstream out;
  write_html(out, r);
  const std::string page = out.str();
  for (const char* words : {"<svg", "<h2>Ranking</h2>", "<h2>Counts</h2>", "<td>seed</td><td>1</td>", "study small",
                            "<h2>Work</h2>", "units: 18"}) {
    CAPTURE(words);
    CHECK(page.find(words) != std::string::npos);
  }
  CHECK(page.find(takt::report::xml_escaped(machine_words())) != std::string::npos);
  CHECK(occurrences(page, "<tr><td>edf</td>") == 3);
  CHECK(occurrences(page, "http") == 1);
  CHECK(page.find("<script") == std::string::npos);
}

TEST_CASE("pages of the same journals are the same bytes, with the notes of all processes in one order") {
  const study what = small_study();
  const takt::test::scratch_folder folder{"page"};
  const auto page_after = [&](shard part) {
    std::ostringstream out;
    const result r = run(what, settings{what.parameters}, {.part = std::move(part), .folder = folder.name()});
    if (r.counts.complete()) { write_html(out, r); }
    return out.str();
  };
  CHECK(page_after({2, 2}).empty());
  const std::string page = page_after({1, 2});
  CHECK_FALSE(page.empty());
  CHECK(page == page_after({}));
  CHECK(occurrences(page, "Z</td><td>9</td>") == 2);
}
