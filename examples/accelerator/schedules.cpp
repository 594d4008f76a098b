// SPDX-License-Identifier: Apache-2.0
#include "schedules.hpp"

#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <takt/model/platform.hpp>
#include <takt/report/svg_gantt.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/servers/all.hpp>
#include <takt/rules/tags.hpp>
#include <takt/simulation/simulate_recorded.hpp>
#include <takt/simulation/trace.hpp>

#include "examples.hpp"

namespace takt::pictures {
namespace {

using result = simulation_result<most_kernels, most_kernels>;

/// What is drawn: kernels on their SMs, and the slots as tasks of their own.
class picture {
 public:
  void add_kernels(const kernels& k, const trace& seen) {
    for (const auto& t : k.tasks) { names_.push_back(t.name); }
    marks_ = seen.marks();
    slices_ = seen.slices();
  }
  void add_slot(std::string_view name, const slot& s) {
    const auto task = static_cast<std::uint32_t>(names_.size());
    names_.push_back(name);
    std::uint64_t number = 0;
    for (ticks begin = s.offset; begin < hyperperiod; begin += s.period, ++number) {
      marks_.push_back({mark_kind::release, task, number, begin});
      marks_.push_back({mark_kind::completion, task, number, begin + s.budget});
    }
  }
  [[nodiscard]] auto svg(std::string_view title) const -> std::string {
    std::ostringstream out;
    report::write_svg_gantt(out, {slices_, marks_, names_},
                            {.title = title, .from = 0, .to = hyperperiod + beyond, .width = width});
    return out.str();
  }

  static constexpr std::int32_t width = 1100;
  static constexpr ticks beyond = 2 * ms;  ///< the hyperperiod, for jobs that are late

 private:
  std::vector<std::string_view> names_;
  std::vector<slice> slices_;
  std::vector<mark> marks_;
};

[[nodiscard]] auto height_of(const std::string& svg) -> int {
  constexpr std::string_view attribute = "height=\"";
  return std::stoi(svg.substr(svg.find(attribute) + attribute.size()));
}

/// One picture of two, one above the other.
void write_both(std::ostream& out, const std::string& above, const std::string& below) {
  const int middle = height_of(above);
  const int height = middle + height_of(below);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << picture::width << "\" height=\"" << height
      << "\" viewBox=\"0 0 " << picture::width << ' ' << height << "\">\n"
      << above << "<g transform=\"translate(0 " << middle << ")\">\n"
      << below << "</g>\n</svg>\n";
}

void print(std::ostream& out, const kernels& k, const result& slots, const result& events) {
  out << std::left << std::setw(16) << "kernel" << std::right << std::setw(10) << "deadline" << std::setw(10)
      << "in slots" << std::setw(16) << "event by event\n";
  for (std::size_t i = 0; i < k.size(); ++i) {
    out << std::left << std::setw(16) << k.tasks[i].name << std::right << std::setw(7) << k.tasks[i].deadline / ms
        << " ms" << std::setw(7) << slots.tasks[i].worst_response / ms << " ms" << std::setw(12)
        << events.tasks[i].worst_response / ms << " ms\n";
  }
  out << std::left << std::setw(26) << "deadlines missed" << std::right << std::setw(7) << slots.misses()
      << std::setw(15) << events.misses() << "\n";
}

}  // namespace

auto draw_schedules(std::ostream& table, std::ostream& svg) -> bool {
  constexpr kernels set = example_1();
  constexpr auto gpu = accelerator(sms);
  constexpr auto in_turn = takt::slots(
      edf, takt::pinned_slot(duration{pinned_slot.offset}, duration{pinned_slot.budget}),
      takt::gang_slot(duration{whole_slot.offset}, duration{whole_slot.budget}), period(duration{whole_slot.period}));
  const simulation_options drawn{.horizon = duration{hyperperiod + picture::beyond}};

  trace in_slots;
  const auto slots = simulate(platform(pool(gpu, in_turn)), set, drawn, in_slots);
  trace by_event;
  const auto events = simulate(platform(pool(gpu, gang(edf))), set, drawn, by_event);
  if (slots.error || events.error) { return false; }
  print(table, set, slots, events);

  picture above;
  above.add_kernels(set, in_slots);
  above.add_slot("SM slot", pinned_slot);
  above.add_slot("GPU slot", whole_slot);
  picture below;
  below.add_kernels(set, by_event);
  write_both(svg,
             above.svg("t1, t2 on SM 0, t4 on SM 1, t3 on both, each in its slot by EDF: the last job of t1 is late"),
             below.svg("The same kernels event by event, by EDF over all of them: every job is in time"));
  return true;
}

}  // namespace takt::pictures
