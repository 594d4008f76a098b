// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
};

/// The parameters of one study with the values in use. All members that read throw `input_error` with the name and
/// what is allowed.
class settings {
 public:
  explicit settings(std::vector<parameter> declared) : all_{std::move(declared)} {}

  /// An unknown name is refused and the nearest one named.
  void set(std::string_view name, std::string_view value);

  [[nodiscard]] auto all() const noexcept -> const std::vector<parameter>& { return all_; }
  [[nodiscard]] auto number(std::string_view name, std::int64_t least, std::int64_t most) const -> std::int64_t;
  /// "3,5,7".
  [[nodiscard]] auto numbers(std::string_view name, std::int64_t least, std::int64_t most) const
      -> std::vector<std::int64_t>;
  /// "17/10" or "1.7".
  [[nodiscard]] auto ratio(std::string_view name) const -> std::pair<std::int64_t, std::int64_t>;
  /// Thousandths in rising order, from "0.2..3.0/0.2" (first, last, step) or "0.5,1,1.5".
  [[nodiscard]] auto levels(std::string_view name) const -> std::vector<std::int64_t>;

  /// "seed=1 sets=100 ...": equal for two runs exactly when their numbers belong together.
  [[nodiscard]] auto fingerprint() const -> std::string;

 private:
  [[nodiscard]] auto find(std::string_view name) const -> const parameter&;

  std::vector<parameter> all_;
};

/// 1200 as "1.2".
[[nodiscard]] auto thousandths_text(std::int64_t thousandths) -> std::string;

}  // namespace takt::program::sweep
