// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace takt::program::sweep {

/// Something that decides the numbers of a study: all of these together make a result repeatable.
struct parameter {
  std::string name;
  std::string value;  ///< as text: the default, or what was asked for
  std::string about;
  /// What its numbers are within; of levels, in thousandths.
  std::int64_t least = 0;
  std::int64_t most = INT64_MAX;
  std::int64_t step = 1;
};

/// The parameters of one study with the values in use. All members that read throw `input_error` with the name and
/// what is allowed.
class settings {
 public:
  explicit settings(std::vector<parameter> declared) : all_{std::move(declared)} {}

  /// An unknown name is refused and the nearest one named.
  void set(std::string_view name, std::string_view value);

  [[nodiscard]] auto all() const noexcept -> const std::vector<parameter>& { return all_; }
  [[nodiscard]] auto has(std::string_view name) const -> bool;
  /// Pre: the parameter's numbers fit into `Number`.
  template <class Number = std::int64_t>
  [[nodiscard]] auto number(std::string_view name) const -> Number {
    return static_cast<Number>(integer(name));
  }
  [[nodiscard]] auto seed() const -> std::uint64_t { return number<std::uint64_t>("seed"); }
  /// "3,5,7", in rising order.
  [[nodiscard]] auto numbers(std::string_view name) const -> std::vector<std::int64_t>;
  /// "17/10" or "1.7".
  [[nodiscard]] auto ratio(std::string_view name) const -> std::pair<std::int64_t, std::int64_t>;
  /// The same as a number.
  [[nodiscard]] auto real(std::string_view name) const -> double;
  /// Thousandths in rising order, from "0.2..3.0/0.2" (first, last, step) or "0.5,1,1.5".
  [[nodiscard]] auto levels(std::string_view name) const -> std::vector<std::int64_t>;
  /// "a,b": rising positions in a list of names.
  [[nodiscard]] auto choices(std::string_view name, std::span<const std::string_view> names) const
      -> std::vector<std::size_t>;
  /// The one value of a parameter.
  [[nodiscard]] auto choice(std::string_view name, std::span<const std::string_view> names) const -> std::size_t;

  /// "seed=1 sets=100 ...": equal for two runs exactly when their numbers belong together.
  [[nodiscard]] auto fingerprint() const -> std::string;

 private:
  [[nodiscard]] auto find(std::string_view name) const -> const parameter&;
  [[nodiscard]] auto integer(std::string_view name) const -> std::int64_t;

  std::vector<parameter> all_;
};

/// Parameters with values of a study's own, and what only that study has. An empty text stays as it is.
[[nodiscard]] auto with(std::vector<parameter> all, std::vector<parameter> own) -> std::vector<parameter>;

/// 1200 as "1.2".
[[nodiscard]] auto thousandths_text(std::int64_t thousandths) -> std::string;

}  // namespace takt::program::sweep
