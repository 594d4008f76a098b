// SPDX-License-Identifier: Apache-2.0
#include <array>
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

TEST_CASE("gantt shades the time in which bounds were void, with an entry in the legend") {
  const recorded r = late_job();
  const std::vector<std::array<ticks, 2>> spans{{3 * ms, 7 * ms}, {40 * ms, 50 * ms}};
  std::ostringstream out;
  takt::report::write_svg_gantt(out, {r.slices, r.marks, r.names, {}, spans}, {.to = 12 * ms});
  const std::string svg = out.str();
  CHECK(well_formed(svg));
  CHECK(contains(svg, ">bounds are void<"));
  CHECK(contains(svg, "bounds are void\n3ms to 7ms<"));
  CHECK_FALSE(contains(svg, "40ms to 50ms"));
  CHECK_FALSE(contains(r.drawn(), "bounds are void"));
}

/// How often a part occurs.
auto count(const std::string& text, std::string_view part) -> std::size_t {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) { ++n; }
  return n;
}

TEST_CASE("gantt shows a job where it works, and before a nominal release that comes later") {
  recorded r{{{0, 0, 0, core, 10 * ms, 20 * ms}},
             {{mark_kind::release, 0, 0, 40 * ms}, {mark_kind::completion, 0, 0, 20 * ms}},
             {"node"}};
  const std::string svg = r.drawn();
  CHECK(well_formed(svg));
  CHECK(contains(svg, ">nominal release<"));
  CHECK(contains(svg, "begun 10ms\ncompleted 20ms<"));
  CHECK_FALSE(contains(late_job().drawn(), ">nominal release<"));
}

TEST_CASE("gantt has an SM once, though kernels have one or both") {
  const auto on = [](std::int32_t first, std::int32_t n) { return track{stage::kernel, 0, first, n}; };
  const recorded r{{{0, 0, 0, on(0, 2), 0, ms}, {1, 0, 0, on(1, 1), ms, 2 * ms}}, {}, {"wide", "narrow"}};
  const std::string svg = r.drawn();
  CHECK(count(svg, ">SM 0<") == 1);
  CHECK(count(svg, ">SM 1<") == 1);
  CHECK_FALSE(contains(svg, "SMs 0-1"));
  CHECK(count(svg, "wide, job 0, segment 0") == 2);
}

TEST_CASE("gantt shows shares by their heights") {
  const auto share = [](std::uint8_t percent) {
    return track{.where = stage::kernel, .kind = takt::unit_kind::share, .percent = percent};
  };
  const recorded r{{{0, 0, 0, share(50), 0, 5 * ms}, {0, 0, 0, share(100), 5 * ms, 9 * ms}}, {}, {"dnn"}};
  const std::string svg = r.drawn();
  CHECK(contains(svg, ">GPU 0, by share<"));
  CHECK(contains(svg, ", 50% of the GPU\n0ns to 5ms, 5ms<"));
  CHECK(contains(svg, "height=\"13\""));
  CHECK(contains(svg, "height=\"26\""));
  CHECK_FALSE(contains(svg, ">SM "));
}

TEST_CASE("gantt shows how many blocks are at work, in a picture that does not grow with them") {
  recorded r;
  for (std::int32_t b = 0; b < 20'000; ++b) {
    r.slices.push_back({0, 0, 0, {stage::kernel, 0, b % 40, 1}, (b / 400) * ms, (b / 400 + 1) * ms});
  }
  const std::string svg = r.drawn();
  CHECK(well_formed(svg));
  CHECK(contains(svg, ">blocks at work<"));
  CHECK(contains(svg, ">up to 400<"));
  CHECK(contains(svg, "400.0 on the mean"));
  CHECK(svg.size() < 20'000);
}

TEST_CASE("gantt shows who holds a token and who waits for it") {
  const recorded r = late_job();
  const takt::token_hold held[] = {{.task = 0, .job = 0, .token = 1, .asked = 0, .start = 2 * ms, .end = 9 * ms}};
  std::ostringstream out;
  takt::report::write_svg_gantt(out, {r.slices, r.marks, r.names, held});
  CHECK(well_formed(out.str()));
  CHECK(contains(out.str(), ">pool 0, token 1<"));
  CHECK(contains(out.str(), ">waits for a token<"));
  CHECK(contains(out.str(), "asked 0ns, holds it 2ms to 9ms<"));
  CHECK_FALSE(contains(r.drawn(), ">waits for a token<"));
}

TEST_CASE("gantt says what of a trace it shows") {
  CHECK(contains(late_job().drawn({.to = 5 * ms}), "drawn: 0ns to 5ms of what was recorded until 12ms<"));
  CHECK_FALSE(contains(late_job().drawn(), "drawn:"));
  recorded r;
  for (std::uint64_t j = 0; j < 500; ++j) {
    const auto at = static_cast<ticks>(j) * ms;
    r.slices.push_back({0, 0, j, core, at, at + ms / 2});
    r.marks.push_back({mark_kind::release, 0, j, at});
    r.marks.push_back({mark_kind::completion, 0, j, at + ms / 2});
  }
  CHECK(contains(r.drawn(), "rows with too many jobs show no releases and deadlines<"));
}

TEST_CASE("gantt of many tasks names them at their rows alone") {
  recorded r;
  for (std::uint32_t t = 0; t < 60; ++t) { r.slices.push_back({t, 0, 0, core, t * ms, (t + 1) * ms}); }
  const std::string svg = r.drawn();
  CHECK(well_formed(svg));
  CHECK(count(svg, ">task 59<") == 1);
  CHECK(count(late_job().drawn(), ">lidar<") >= 2);
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
