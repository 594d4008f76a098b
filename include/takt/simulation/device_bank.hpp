// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/core/to_index.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/rules/rank_set.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/composition.hpp>
#include <takt/simulation/job_accounting.hpp>
#include <takt/simulation/layout.hpp>
#include <takt/simulation/token_bank.hpp>

namespace takt::inline TAKT_ABI::simulation::detail {

/// Copy engines and SMs, and the lock or the tokens around both where there are any. `began(r)` is called when a job
/// has got an engine, the lock or a token.
template <KnownComposition P, class Table, std::size_t MaxShares, class Accounting, class Calendar>
class device_bank {
 public:
  static constexpr std::size_t max_tasks = Table::max_tasks;
  static constexpr bool serialized = composition_of<P>.serialized;
  using token_bank_type = typename token_bank_of<typename P::gpu_rule, Table>::type;
  static constexpr bool reports_tokens = runs_on_token(composition_of<P>.kernels) && Accounting::observes_tokens;

  /// All but the plan outlive the bank. Engine or lock u and the kernels of tasks are sources of the calendar.
  constexpr device_bank(const Table& table, const layout<Table>& steps, const source_map<max_tasks>& sources,
                        const platform_record& platform, const plan<MaxShares>& p, Accounting& jobs, Calendar& events)
      : layout_{&steps},
        sources_{&sources},
        jobs_{&jobs},
        events_{&events},
        sms_{platform, p},
        tokens_{table, steps, platform, sources.cores} {
    units_.fill(unit_server{});  // g++-12 may leave default members of array elements zero
  }

  [[nodiscard]] constexpr auto tokens() noexcept -> token_bank_type& { return tokens_; }
  /// Returns whether engines or the lock have to decide.
  [[nodiscard]] constexpr auto asked() const noexcept -> bool { return asked_; }

  /// Sets off the copy or kernel that a job has come to, or asks for what it needs.
  template <class Began>
  constexpr void start(rank r, ticks now, Began began) {
    job& j = (*jobs_)[r];
    if (!tokens_.holds(r)) {
      note_asked(r, now);
      j.holds_off = !tokens_.ask(r);
      if (j.holds_off) { return; }
      note_got(r, now);
      began(r);
    }
    if (serialized && units_[0].running() == r) {
      occupy(0, r, now, began);
    } else if (serialized || j.where == stage::copy) {
      units_[unit_of(j)].request(r);
      asked_ = true;
    } else {
      if constexpr (runs_on_token(composition_of<P>.kernels)) {
        j.remaining = tokens_.held_to_sms_of(r, j.position, j.remaining);
      }
      take_sms(j);
      j.started = now;
      events_->set(sources_->first_kernel() + layout_->kernel_of(to_index(r)), now + j.remaining);
    }
  }
  template <class Began>
  constexpr void decide(ticks now, Began began) {
    asked_ = false;
    for (std::size_t u = 0; u < sources_->units; ++u) {
      const rank r = units_[u].decide().started;
      if (r != nobody) { occupy(u, r, now, began); }
    }
  }

  /// Engine or lock u has come to the end of what it did; returns for whom.
  constexpr auto end_unit(std::size_t u) -> rank {
    const rank r = units_[u].running();
    events_->set(sources_->first_unit() + u, never);
    if constexpr (!serialized) {
      units_[u].complete();
      asked_ = true;
    }
    return r;
  }
  constexpr void end_operation(rank r, ticks now) {
    const job& j = (*jobs_)[r];
    record(r, now);
    if (runs_on_own_share(composition_of<P>.kernels) && j.where == stage::kernel) { sms_.complete(j.id); }
  }
  /// A job comes to a CPU segment or completes: what it holds around copies and kernels goes to the next job.
  template <class Began>
  constexpr void leave_section(rank r, ticks now, Began began) {
    if constexpr (serialized) {
      if (units_[0].running() != r) { return; }
      units_[0].complete();
      asked_ = true;
    } else if constexpr (runs_on_token(composition_of<P>.kernels)) {
      if (!tokens_.holds(r)) { return; }
      report_hold(r, now);
      const rank next = tokens_.give_back(r);
      if (next == nobody) { return; }
      note_got(next, now);
      (*jobs_)[next].holds_off = false;
      began(next);
      start(next, now, began);
    }
  }

  /// Closes what is under way when the simulation ends.
  constexpr void close(ticks now) {
    for (rank r = 0; r < jobs_->size(); ++r) {
      if (under_way(r)) { record(r, now); }
      if constexpr (reports_tokens) {
        if (tokens_.holds(r)) { report_hold(r, now); }
      }
    }
  }

 private:
  using unit_rule = std::conditional_t<serialized, typename P::gpu_rule, typename P::copy_rule>;
  using unit_server = typename detail::server_for<unit_rule, max_tasks>::type;

  static constexpr std::int32_t not_yet = -1;

  [[nodiscard]] static constexpr auto unit_of(const job& j) noexcept -> std::size_t {
    return serialized ? 0 : static_cast<std::size_t>(j.engine);
  }

  template <class Began>
  constexpr void occupy(std::size_t u, rank r, ticks now, Began began) {
    job& j = (*jobs_)[r];
    j.started = now;
    take_sms(j);
    events_->set(sources_->first_unit() + u, now + j.remaining);
    began(r);
  }
  constexpr void take_sms(const job& j) noexcept {
    if (runs_on_own_share(composition_of<P>.kernels) && j.where == stage::kernel) { (void)sms_.request(j.id); }
  }

  /// Records since when a job has asked for its token, and held it.
  constexpr void note_asked(rank r, ticks now) noexcept {
    if constexpr (reports_tokens) {
      token_hold& h = holds_[to_index(r)];
      if (h.token == not_yet) { return; }
      h = {.task = (*jobs_)[r].id, .job = (*jobs_)[r].number, .token = not_yet, .asked = now};
    }
  }
  constexpr void note_got(rank r, ticks now) noexcept {
    if constexpr (reports_tokens) { holds_[to_index(r)].start = now; }
  }
  constexpr void report_hold(rank r, ticks now) {
    if constexpr (reports_tokens) {
      token_hold& h = holds_[to_index(r)];
      const auto at = tokens_.place_of(r);
      h.pool = at.gpu;
      h.token = at.token;
      h.end = now;
      jobs_->record(h);
    }
  }

  constexpr void record(rank r, ticks now) {
    const job& j = (*jobs_)[r];
    track where{stage::copy, 0, j.engine, 1};
    if (j.where == stage::kernel) {
      if constexpr (runs_on_token(composition_of<P>.kernels)) {
        where = tokens_.sms_of(r);
      } else {
        where = layout_->sms_of(to_index(r));
      }
    }
    jobs_->record(j, where, j.started, now);
  }
  [[nodiscard]] constexpr auto under_way(rank r) noexcept -> bool {
    const job& j = (*jobs_)[r];
    if (!j.alive || j.where == stage::cpu || j.holds_off) { return false; }
    return (!serialized && j.where == stage::kernel) || units_[unit_of(j)].running() == r;
  }

  const layout<Table>* layout_;
  const source_map<max_tasks>* sources_;
  Accounting* jobs_;
  Calendar* events_;
  std::array<unit_server, max_copy_engines> units_{};
  dedicated_sms<MaxShares> sms_;
  token_bank_type tokens_;
  std::array<token_hold, reports_tokens ? max_tasks : 0> holds_{};
  bool asked_ = false;
};

}  // namespace takt::inline TAKT_ABI::simulation::detail
