// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/report/svg_gantt.hpp>

#include "support/xml.hpp"

namespace {

using takt::mark;
using takt::mark_kind;
using takt::slice;
using takt::stage;
using takt::ticks;
using takt::track;
using takt::report::gantt_options;
using takt_tests::well_formed;

constexpr ticks ms = 1'000'000;
constexpr track core{stage::cpu, 0, 0, 1};
constexpr track sms{stage::kernel, 0, 2, 3};

struct recorded {
  std::vector<slice> slices;
  std::vector<mark> marks;
  std::vector<std::string_view> names;

  [[nodiscard]] auto drawn(const gantt_options& options = {}) const -> std::string {
    std::ostringstream out;
    takt::report::write_svg_gantt(out, {slices, marks, names}, options);
    return out.str();
  }
};

auto late_job() -> recorded {
  return {{{0, 0, 0, core, 0, 2 * ms}, {0, 1, 0, sms, 2 * ms, 12 * ms}, {1, 0, 3, core, 5 * ms, 6 * ms}},
          {{mark_kind::release, 0, 0, 0},
           {mark_kind::deadline, 0, 0, 10 * ms},
           {mark_kind::miss, 0, 0, 10 * ms},
           {mark_kind::completion, 0, 0, 12 * ms}},
          {"camera", "lidar"}};
}

auto contains(const std::string& text, std::string_view part) -> bool { return text.find(part) != std::string::npos; }

TEST_CASE("gantt shows rows, exact tooltips, the legend and the miss") {
  const std::string svg = late_job().drawn({.title = "a run"});
  CHECK(well_formed(svg));
  for (const std::string_view text :
       {">a run<", ">core 0<", ">SMs 2-4<", ">camera<", ">lidar<", ">release<", ">time in ms<",
        "segment 1 (kernel)\n2ms to 12ms, 10ms<", "job 0: deadline missed at 10ms<",
        "completed 12ms, response 12ms\ndeadline 10ms<", "url(#late)"}) {
    CHECK_MESSAGE(contains(svg, text), text);
  }
}

TEST_CASE("gantt draws no lateness for a job in time") {
  recorded r = late_job();
  r.marks = {
      {mark_kind::release, 0, 0, 0}, {mark_kind::completion, 0, 0, 12 * ms}, {mark_kind::deadline, 0, 0, 12 * ms}};
  const std::string svg = r.drawn();
  CHECK_FALSE(contains(svg, "deadline missed at"));
  CHECK(svg.find("url(#late)") == svg.rfind("url(#late)"));
}

TEST_CASE("gantt escapes names and titles") {
  recorded r = late_job();
  r.names = {"<a href=\"x\">&'\x01\xFF", "\xE3\x82\xAB\xE3\x83\xA1\xE3\x83\xA9"};
  const std::string svg = r.drawn({.title = "</svg>\n]]>\x02 & co"});
  CHECK(well_formed(svg));
  CHECK(contains(svg, "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\xEF\xBF\xBD\xEF\xBF\xBD"));
  CHECK_FALSE(well_formed("<a><b></a></b>"));
  CHECK_FALSE(well_formed("<a>&nbsp;</a>"));
}

TEST_CASE("gantt leaves out what lies outside the window") {
  const std::string svg = late_job().drawn({.from = 4 * ms, .to = 5 * ms});
  CHECK(well_formed(svg));
  CHECK(contains(svg, "2ms to 12ms"));
  CHECK_FALSE(contains(svg, "0ns to 2ms"));
  CHECK_FALSE(contains(svg, "5ms to 6ms"));
  CHECK_FALSE(contains(svg, "deadline missed at"));
}

TEST_CASE("gantt of an empty trace, of a narrow picture and of many tasks is well-formed") {
  CHECK(well_formed(recorded{}.drawn()));
  CHECK(well_formed(late_job().drawn({.title = "narrow", .width = 1})));
  recorded r;
  for (std::uint32_t t = 0; t < 25; ++t) { r.slices.push_back({t, 0, 0, core, t * ms, (t + 1) * ms}); }
  const std::string svg = r.drawn();
  CHECK(well_formed(svg));
  CHECK(contains(svg, ">task 24<"));
  CHECK(contains(svg, "fill=\"url(#stripes)\""));
}

TEST_CASE("gantt is the same for the same trace") { CHECK(late_job().drawn() == late_job().drawn()); }

TEST_CASE("axis instants are round, inside the window, ordered and far enough apart") {
  const struct {
    ticks from, to;
  } windows[] = {{0, 1},
                 {0, 7},
                 {0, 999},
                 {-50, 60},
                 {0, 150 * ms},
                 {3 * ms + 1, 4 * ms},
                 {0, 3'600'000'000'000},
                 {1'000'000'000'000, 1'000'000'000'900},
                 {0, 9'000'000'000'000'000'000}};
  for (const auto& w : windows) {
    const takt::report::time_axis axis{w.from, w.to, 100, 1000};
    const auto instants = axis.instants();
    CAPTURE(w.to);
    CHECK(instants.size() <= 18);
    for (std::size_t i = 0; i < instants.size(); ++i) {
      CHECK(axis.shows(instants[i]));
      if (i == 0) { continue; }
      const double room = axis.x(instants[i]) - axis.x(instants[i - 1]);
      CHECK(room > static_cast<double>(axis.label(instants[i]).size()) * 6);
      ticks step = instants[i] - instants[i - 1];
      while (step % 10 == 0) { step /= 10; }
      CHECK((step == 1 || step == 2 || step == 5));
      CHECK(instants[i] % (instants[i] - instants[i - 1]) == 0);
    }
  }
  CHECK(takt::report::time_axis{0, 150 * ms, 100, 1000}.instants().size() == 16);
}

TEST_CASE("ellipsis keeps whole characters within the columns") {
  using takt::report::columns;
  using takt::report::elided;
  CHECK(elided("camera", 6) == "camera");
  CHECK(elided("camera", 5) == "came\xE2\x80\xA6");
  CHECK(elided("\xE3\x82\xAB\xE3\x83\xA1\xE3\x83\xA9", 4) == "\xE3\x82\xAB\xE2\x80\xA6");
  CHECK(columns("\xE3\x82\xAB\xE3\x83\xA1\xE3\x83\xA9") == 6);
}

}  // namespace
