// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/exact.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/systems/locked_gpus/analysis/analysis.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>

namespace takt::inline TAKT_ABI {

/// Returns the load 1, of a processor that is always busy.
template <ExactNumber Number>
[[nodiscard]] constexpr auto whole_load() -> Number {
  return Number(number_traits<Number>::integral ? std::int64_t{1} << 30 : std::int64_t{1});
}

/// Stands for itself and for every load above it.
template <ExactNumber Number>
[[nodiscard]] constexpr auto most_load() -> Number {
  return whole_load<Number>() * Number(1 << 20);
}
namespace detail {

template <ExactNumber Number>
[[nodiscard]] constexpr auto add_load(const Number& a, const Number& b) -> Number {
  const Number sum = a + b;
  return sum < most_load<Number>() ? sum : most_load<Number>();
}

}  // namespace detail

/// Returns the part of a processor that `time` in every `period` takes, in parts of `whole_load`: on integers rounded
/// up, so that loads of any periods have one denominator. Pre: time >= 0, 0 < period <= 2^60.
template <ExactNumber Number>
[[nodiscard]] constexpr auto load_of(const Number& time, const Number& period) -> Number {
  TAKT_EXPECTS(!(time < Number(0)) && Number(0) < period && !(Number(std::int64_t{1} << 60) < period));
  if constexpr (number_traits<Number>::integral) {
    if (time / period >= (Number(1) << 20)) { return most_load<Number>(); }
    Number load = time / period;
    Number rest = time % period;
    for (int bit = 0; bit < 30; ++bit) {
      const bool one = rest * 2 >= period;
      load = load * 2 + (one ? 1 : 0);
      rest = rest * 2 - (one ? period : 0);
    }
    return load + (rest > 0 ? 1 : 0);
  } else {
    const auto load = quotient(time, period);
    return load < most_load<Number>() ? Number(load) : most_load<Number>();
  }
}

/// Returns what a set would load CPUs with if these ran its kernels, `speed_up` times as long, and nothing were copied,
/// in parts of `whole_load`. Pre: the tasks are without fault, speed_up >= 0. Source: Elliott 2015, section 4.3.6.2.
template <class Table>
[[nodiscard]] constexpr auto effective_utilization(const Table& table, std::int64_t speed_up) ->
    typename Table::number {
  TAKT_EXPECTS(speed_up >= 0);
  using number = typename Table::number;
  number sum(0);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    sum = detail::add_load(sum, load_of<number>(t.wcet, t.period));
    for (std::size_t k = 0; k < t.kernels.size(); ++k) {
      number longer{};
      const bool fits = number_traits<number>::multiply(t.kernels[k], speed_up, longer) && is_number(longer);
      sum = fits ? detail::add_load(sum, load_of<number>(longer, t.period)) : most_load<number>();
    }
  }
  return sum;
}

enum class partition_status : std::uint8_t {
  placed,
  invalid,   ///< the model is wrong
  unserved,  ///< no GPU cluster serves a CPU cluster
};

struct gpusync_partition {
  partition_status status = partition_status::invalid;
  model_error error{};  ///< of `invalid`

  [[nodiscard]] constexpr auto placed() const noexcept -> bool { return status == partition_status::placed; }
};

namespace detail {

/// Places worst fit on processors of one kind: always the least loaded one, the first of equals.
template <class Number, std::size_t Capacity>
class worst_fit {
 public:
  template <class Admits>
  [[nodiscard]] constexpr auto find(std::int32_t count, const Admits& admits) const -> std::int32_t {
    std::int32_t best = no_cluster;
    for (std::int32_t c = 0; c < count; ++c) {
      if (admits(c) && (best == no_cluster || load(c) < load(best))) { best = c; }
    }
    return best;
  }
  constexpr void add(std::int32_t to, const Number& more) {
    loads_[static_cast<std::size_t>(to)] = add_load(load(to), more);
  }
  [[nodiscard]] constexpr auto load(std::int32_t of) const -> const Number& {
    return loads_[static_cast<std::size_t>(of)];
  }

 private:
  std::array<Number, Capacity> loads_{};
};

template <GpusyncPlatform P, class Table>
class gpusync_partitioner {
 public:
  using number = typename Table::number;
  using order = inline_vector<std::size_t, Table::max_tasks>;

  constexpr gpusync_partitioner(const P& platform, Table& table)
      : platform_{&platform}, configuration_{&platform.configuration()}, table_{&table} {}

  template <class Rules>
  constexpr auto run(const analysis::gpusync::options<number>& o) -> gpusync_partition {
    if (!choices_known(o)) { return {partition_status::invalid, {.fault = model_fault::choice_out_of_range}}; }
    if (!place_somewhere()) { return {partition_status::unserved, {}}; }
    if (const auto error = validate_gpusync(*platform_, *table_)) { return {partition_status::invalid, error}; }
    place_on_gpus();
    place_users();
    const order others = falling(false, [this](std::size_t i) { return cpu_load(i); });
    if (others.empty() || configuration_->cpu_clusters() == 1) { return valid(); }
    if (const auto first = valid(); !first.placed()) { return first; }
    add_waits<Rules>(o);
    for (std::size_t k = 0; k < others.size(); ++k) {
      auto& t = table_->tasks[others[k]];
      t.cpu_cluster = cpus_.find(configuration_->cpu_clusters(), [](std::int32_t) { return true; });
      cpus_.add(t.cpu_cluster, cpu_load(others[k]));
    }
    return valid();
  }

 private:
  using requests = job_requests<number>;

  [[nodiscard]] constexpr auto valid() const -> gpusync_partition {
    const auto error = validate_gpusync(*platform_, *table_);
    return {error ? partition_status::invalid : partition_status::placed, error};
  }

  /// Places tasks anywhere allowed, so that the rest of the model can be checked. False when a task has no such place.
  [[nodiscard]] constexpr auto place_somewhere() -> bool {
    if (fault_of(*configuration_) != model_fault::none) { return true; }
    const gpusync_configuration& c = *configuration_;
    std::int32_t gpus = 0;
    while (gpus < c.gpu_clusters() && c.served_clusters(gpus) == 0) { ++gpus; }
    for (std::size_t i = 0; i < table_->size(); ++i) {
      auto& t = table_->tasks[i];
      t.cpu_cluster = 0;
      if (!t.uses_gpu()) { continue; }
      if (gpus == c.gpu_clusters()) { return false; }
      t.gpu = true;
      t.gpu_cluster = gpus;
      while (!c.serves(gpus, t.cpu_cluster)) { ++t.cpu_cluster; }
    }
    return true;
  }

  /// Returns positions of the tasks with or without GPUs by falling keys, equal ones as they were given.
  template <class Key>
  [[nodiscard]] constexpr auto falling(bool users, const Key& key) const -> order {
    order out;
    std::array<number, Table::max_tasks> keys{};
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if (table_->tasks[i].uses_gpu() != users) { continue; }
      keys[i] = key(i);
      // Bound: one per task, at most `max_tasks`.
      out.unchecked_push_back(i);
      for (std::size_t at = out.size() - 1; at > 0 && keys[out[at - 1]] < keys[i]; --at) {
        out[at] = out[at - 1];
        out[at - 1] = i;
      }
    }
    return out;
  }

  [[nodiscard]] constexpr auto cpu_load(std::size_t i) const -> number {
    return load_of<number>(table_->tasks[i].wcet, table_->tasks[i].period);
  }
  /// Returns the load with all of a job's CPU time, or with its token section's only.
  [[nodiscard]] constexpr auto load_with(std::size_t i, bool whole) const -> number {
    const auto& t = table_->tasks[i];
    const requests own = requests_of(*configuration_, platform_->costs, t);
    const number busy = own.kernel_time + own.copy_time() + (whole ? t.wcet : t.cpu_in_gpu_section);
    return load_of<number>(busy, t.period);
  }

  constexpr void place_on_gpus() {
    worst_fit<number, static_cast<std::size_t>(max_gpusync_gpus)> gpus;
    const auto serving = [this](std::int32_t a) { return configuration_->served_clusters(a) > 0; };
    const order users = falling(true, [this](std::size_t i) { return load_with(i, false); });
    for (std::size_t k = 0; k < users.size(); ++k) {
      auto& t = table_->tasks[users[k]];
      t.gpu_cluster = gpus.find(configuration_->gpu_clusters(), serving);
      gpus.add(t.gpu_cluster, load_with(users[k], false));
    }
  }

  constexpr void place_users() {
    const order users = falling(true, [this](std::size_t i) { return load_with(i, true); });
    for (std::size_t k = 0; k < users.size(); ++k) {
      auto& t = table_->tasks[users[k]];
      const auto served = [this, &t](std::int32_t b) { return configuration_->serves(t.gpu_cluster, b); };
      t.cpu_cluster = cpus_.find(configuration_->cpu_clusters(), served);
      cpus_.add(t.cpu_cluster, load_with(users[k], true));
    }
  }

  /// Adds waits when responses are the deadlines; without a bound they fill a cluster.
  template <class Rules>
  constexpr void add_waits(const analysis::gpusync::options<number>& o) {
    namespace an = analysis::gpusync;
    Table users;
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if (table_->tasks[i].uses_gpu()) { static_cast<void>(users.add(table_->tasks[i])); }
    }
    if (users.size() == 0) { return; }
    const auto set = an::prepare<Rules>(*platform_, users, o);
    if (!set.has_bounded_charges()) {
      for (std::size_t i = 0; i < users.size(); ++i) { cpus_.add(users.tasks[i].cpu_cluster, most_load<number>()); }
      return;
    }
    const an::detail::engine_model<Rules, Table> model(set);
    std::array<number, Table::max_tasks> responses{};
    for (std::size_t i = 0; i < users.size(); ++i) { responses[i] = users.tasks[i].deadline; }
    const an::detail::job_overlaps<Table> overlaps(users, std::span<const number>(responses).first(users.size()),
                                                   set.wanted());
    const auto rivals = an::detail::count_rivals(set, overlaps);
    const auto engines = an::detail::engine_phase<Rules>(set, model, overlaps, rivals);
    const auto tokens = an::detail::token_phase<Rules>(set, rivals, an::detail::section_phase<Rules>(set, engines));
    for (std::size_t i = 0; i < users.size(); ++i) {
      analysis::detail::blocking_sum<number> waits;
      waits.add(1, engines[i].total());
      waits.add(1, tokens[i].total());
      const auto& t = users.tasks[i];
      const bool bounded = rivals.countable && waits.bounded();
      cpus_.add(t.cpu_cluster, bounded ? load_of<number>(waits.total().time, t.period) : most_load<number>());
    }
  }

  const P* platform_;
  const gpusync_configuration* configuration_;
  Table* table_;
  worst_fit<number, static_cast<std::size_t>(max_gpusync_cpus)> cpus_{};
};

}  // namespace detail

/// Chooses clusters for all tasks, whatever they were. First are GPU tasks for GPU clusters, by the load of their token
/// sections without CPU time elsewhere. Then they go to CPU clusters that these serve, by all of their load, and the
/// other tasks after them. Always the greatest load first, to the least loaded cluster; ties go to the task given first
/// and the lowest cluster. Before the last step, waits of GPU tasks count as load: once, with responses equal to
/// deadlines, since the source does not say whether each placement renews them. Placed does not mean schedulable. Cost:
/// n^2 and one pass of the analysis up to its third phase. Source: Elliott 2015, section 4.3.6.1.
template <class Rules = analysis::gpusync::sound_rules, GpusyncPlatform P, class Table>
constexpr auto partition_gpusync(const P& platform, Table& table,
                                 const analysis::gpusync::options<typename Table::number>& o = {})
    -> gpusync_partition {
  return detail::gpusync_partitioner<P, Table>(platform, table).template run<Rules>(o);
}

}  // namespace takt::inline TAKT_ABI
