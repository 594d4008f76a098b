// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/core/fixed_string.hpp>
#include <takt/model/critical_section.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/runtime/executor/visit_codes.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Returns whether a name is "cpu" for the first of a kind, "cpu 2" for the second, and so on.
[[nodiscard]] constexpr auto is_numbered(std::string_view called, std::string_view kind, std::uint32_t number) -> bool {
  if (!called.starts_with(kind)) { return false; }
  const std::string_view rest = called.substr(kind.size());
  if (rest.empty()) { return number == 1; }
  std::uint32_t said = 0;
  for (const char c : rest.substr(1)) {
    said = c < '0' || c > '9' || said > 999 ? 0 : said * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return rest[0] == ' ' && said == number;
}

/// Looks for a segment of a task by both names. Tasks are told to it.
class segment_finder {
 public:
  constexpr segment_finder(std::string_view of, std::string_view called) : task_{of}, segment_{called} {}

  constexpr void open(const flow_attributes& t) {
    here_ = t.name == task_;
    task = here_ ? opened_ : task;
    ++opened_;
    position_ = 0;
    counts_ = {};
  }
  template <class S>
  constexpr auto visit(const S& s, visit_mask /*before*/) -> visit_mask {
    using wanted = typename resource_of_segment<S>::type;
    constexpr std::size_t kind = std::same_as<wanted, processors_resource>     ? 0
                                 : std::same_as<wanted, copy_engines_resource> ? 1
                                 : std::same_as<wanted, gpu>                   ? 2
                                                                               : 3;
    ++counts_[kind];
    std::string_view label;
    if constexpr (requires { s.label; }) { label = s.label; }
    const bool is_meant = label.empty() ? is_numbered(segment_, kinds[kind], counts_[kind]) : label == segment_;
    if (here_ && is_meant) {
      ++found;
      visit_at = position_;
      on_processor = kind == 0;
    }
    return visit_mask{1} << position_++;
  }
  constexpr void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  constexpr void refuse(const model_error& /*told by whoever runs them*/) {}

  std::uint32_t found = 0;  ///< how many have these names
  bool on_processor = false;
  std::uint32_t task = 0;
  std::uint32_t visit_at = 0;

 private:
  static constexpr std::array<std::string_view, 4> kinds{"cpu", "copy", "kernel", "visit"};

  std::string_view task_;
  std::string_view segment_;
  std::uint32_t opened_ = 0;
  std::uint32_t position_ = 0;
  std::array<std::uint32_t, 4> counts_{};
  bool here_ = false;
};

template <const auto& Tasks>
[[nodiscard]] consteval auto find_segment(std::string_view of, std::string_view called) -> segment_finder {
  segment_finder out{of, called};
  visit_source<std::remove_cvref_t<decltype(Tasks)>>::each(Tasks, out);
  return out;
}

/// These stop compilation with a sentence; the first two template arguments are the names.
template <fixed_string Task, fixed_string Segment, bool Found>
struct names_a_segment {
  static constexpr bool passed = Found;
  static_assert(Found,
                "takt: code is bound to a task or a segment that the set does not have, or has twice; both names are "
                "template arguments of names_a_segment. See docs/errors.md#E118");
};
template <fixed_string Task, fixed_string Segment, bool OnProcessor, bool Fits>
struct code_fits_segment {
  static constexpr bool passed = Fits;
  static_assert(Fits || !OnProcessor,
                "takt: code of a processor is called with the number of the job, a std::uint64_t, and this code is "
                "not. See docs/errors.md#E119");
  static_assert(Fits || OnProcessor,
                "takt: code of a copy, a kernel or a resource of one's own is called with the number of the job and a "
                "takt::runtime::pause_point&, and this code is not. See docs/errors.md#E119");
};
template <bool Once>
struct segments_bound_once {
  static constexpr bool passed = Once;
  static_assert(Once, "takt: two pieces of code are bound to one segment; give it one. See docs/errors.md#E120");
};

}  // namespace detail

/// Holds code in place of a segment of a task, by their names.
template <fixed_string Task, fixed_string Segment, class Code>
struct bound_code {
  static constexpr auto task = Task;
  static constexpr auto segment = Segment;
  Code code;
};

/// Binds code to a segment: `bind<"camera", "decode">(decode)`. A segment is called what `named` calls it, else by its
/// kind: "cpu", "copy", "kernel" or "visit", and the second of a kind in its task "cpu 2". Code of a processor is
/// called with the number of the job, other code with that and a `runtime::pause_point&`. It must not throw.
template <fixed_string Task, fixed_string Segment, class Code>
[[nodiscard]] constexpr auto bind(Code code) -> bound_code<Task, Segment, Code> {
  return {code};
}

namespace detail {

template <const auto& Tasks, class Bound>
struct binding_of {
  static constexpr segment_finder at = find_segment<Tasks>(Bound::task.view(), Bound::segment.view());
  using code = decltype(Bound::code);
  static constexpr bool fits = at.on_processor ? std::invocable<code&, std::uint64_t>
                                               : std::invocable<code&, std::uint64_t, runtime::pause_point&>;
  static constexpr bool passed = names_a_segment < Bound::task, Bound::segment,
                        at.found == 1 > ::passed &&code_fits_segment<Bound::task, Bound::segment, at.on_processor,
                                                                     fits || at.found != 1>::passed;
};

template <const auto& Tasks, class... Bound>
[[nodiscard]] consteval auto bound_once() -> bool {
  const std::array<std::uint64_t, sizeof...(Bound) + 1> places{
      (std::uint64_t{binding_of<Tasks, Bound>::at.task} << 32 | binding_of<Tasks, Bound>::at.visit_at)...};
  for (std::size_t i = 0; i < sizeof...(Bound); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (places[i] == places[k]) { return false; }
    }
  }
  return true;
}

}  // namespace detail

/// Holds code for a run, by the names of tasks and segments of a constexpr set. A name that the set does not have, code
/// that does not fit its segment, and two pieces of code for one segment do not compile.
template <const auto& Tasks, class... Bound>
[[nodiscard]] auto codes(const Bound&... bound) -> runtime::visit_codes {
  runtime::visit_codes out;
  constexpr bool named = (detail::binding_of<Tasks, Bound>::passed && ... && true);
  if constexpr (detail::segments_bound_once < !named || detail::bound_once<Tasks, Bound...>() > ::passed && named) {
    const auto add = [&out]<class B>(const B& one) {
      constexpr auto at = detail::binding_of<Tasks, B>::at;
      if constexpr (at.on_processor) {
        out.cpu(at.task, at.visit_at, one.code);
      } else {
        out.on_unit(at.task, at.visit_at, one.code);
      }
    };
    (add(bound), ...);
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
