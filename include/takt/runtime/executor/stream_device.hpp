// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/rules/servers/block_visit.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// Returns how long time that is only emulated may last: not beyond the run.
[[nodiscard]] inline auto until_end(const dispatched_visit& e) noexcept -> ticks {
  return std::min(e.length, std::max<ticks>(0, e.until - now()));
}

}  // namespace detail

/// Holds what a stream can be given, and how. Of a kernel in a block queue `timed` knows the GPU.
template <StreamDevice D>
struct kernels_of_streams {
  using work = typename D::kernel;
  static constexpr bool on_gpu = true;
  /// Returns a kernel whose blocks take what they may, as far as the time goes; all else comes before them.
  [[nodiscard]] static auto timed(const dispatched_visit& e, const block_gpu& queue) -> work {
    const ticks all = detail::until_end(e);
    if constexpr (std::constructible_from<work, std::int64_t, std::int32_t, ticks, ticks>) {
      if (queue.sms > 0) {
        const block_visit k = block_visit::of(e.view);
        const std::int64_t rounds = rounds_alone(queue, k.blocks, k.threads);
        const ticks in_blocks = std::min(all, rounds * k.length);
        return work{k.blocks, static_cast<std::int32_t>(k.threads), ceil_divide(in_blocks, rounds), all - in_blocks};
      }
    }
    return work{all};
  }
  static void give(typename D::stream& s, std::int32_t /*unit*/, const work& w, completion done) { s.launch(w, done); }
};
template <Device D>
struct copies_of_streams {
  using work = typename D::copy;
  static constexpr bool on_gpu = false;
  [[nodiscard]] static auto timed(const dispatched_visit& e, const block_gpu& /*queue*/) -> work {
    return work{detail::until_end(e)};
  }
  static void give(typename D::stream& s, std::int32_t unit, const work& w, completion done) { s.copy(unit, w, done); }
};

/// Holds the user's work of a visit, as long as the device may read it: kept, or made for the job in `room`.
template <class Work>
using work_of_job = std::function<const Work&(const dispatched_visit& e, std::optional<Work>& room)>;

/// Is an operation on a stream. It lives as long as the device may read it, as the user's own work does.
template <class D, class Kind>
class unit_operation {
 public:
  using work = typename Kind::work;
  using works = std::map<visit_position, work_of_job<work>>;

  unit_operation(worker_reports reports, std::shared_ptr<const works> bound)
      : bound_{std::move(bound)}, reports_{std::move(reports)} {}

  /// Takes the work that is bound to a visit, or its time. Pre: none is under way.
  void prepare(const dispatched_visit& e, const visit_position& at, const block_gpu& queue) {
    TAKT_EXPECTS(!self_);
    const auto own = bound_->find(at);
    work_ = own == bound_->end() ? &made_.emplace(Kind::timed(e, queue)) : &own->second(e, made_);
    visit_ = e.visit;
  }
  void begin(typename D::stream& s, std::int32_t unit, std::shared_ptr<unit_operation> self) {
    self_ = std::move(self);
    Kind::give(s, unit, *work_, notify<&unit_operation::ended>(this));
  }
  /// Waits at most so long for the end, which is not reported from now on.
  void leave(ticks patience) {
    std::unique_lock lock{mutex_};
    is_left_ = true;
    changed_.wait_until(lock, later(now(), patience), [this] { return !self_; });
  }

 private:
  void ended() {
    std::shared_ptr<unit_operation> kept;  // maybe the last one: it goes when its mutex is free again
    const std::lock_guard lock{mutex_};
    kept.swap(self_);
    if (!is_left_) { return reports_.done(visit_, now()); }
    changed_.notify_all();
  }

  std::shared_ptr<const works> bound_;
  worker_reports reports_;
  std::optional<work> made_;
  const work* work_ = nullptr;
  std::uint32_t visit_ = 0;
  inheriting_mutex mutex_;
  condition changed_;
  std::shared_ptr<unit_operation> self_;  ///< while one is under way
  bool is_left_ = false;
};

namespace detail {

/// Carries out the operations of one lane on a stream.
template <class D, class Kind>
class stream_worker final : public visit_worker {
 public:
  using operation = unit_operation<D, Kind>;

  /// Pre: `of` outlives it.
  stream_worker(typename D::stream& stream, const pool_to_serve& of, std::size_t lane,
                std::shared_ptr<const typename operation::works> bound, worker_reports reports)
      : stream_{&stream},
        of_{&of},
        lane_{lane},
        operation_{std::make_shared<operation>(std::move(reports), std::move(bound))} {}

  void assign(const dispatched_visit& e) override {
    const pool_lane& l = of_->lanes[lane_];
    operation_->prepare(e, visit_position{l.task, e.visit - l.first_visit}, of_->traits.blocks);
  }
  void start(const held_unit& where) override { operation_->begin(*stream_, where.unit, operation_); }
  /// Rules that take units back are not served.
  void stop() override {}
  [[nodiscard]] auto pieces() const -> std::vector<time_piece> override {
    if constexpr (requires { stream_->served(); }) {
      return stream_->served();
    } else {
      return {};
    }
  }
  void close() override { operation_->leave(of_->patience); }

 private:
  typename D::stream* stream_;
  const pool_to_serve* of_;
  std::size_t lane_;
  std::shared_ptr<operation> operation_;
};

}  // namespace detail

/// Holds the streams of a device, for all pools of a board that it serves. A task whose visits follow each other has
/// one stream for its copies and for kernels with SMs or a stream of their own. Every other lane has its own stream,
/// but for kernels that use the same SMs one after the other.
template <StreamDevice D>
class task_streams {
 public:
  /// Pre: the device outlives it.
  explicit task_streams(D& device) : device_{&device} {}

  /// `is_own`: no other task uses the lane's SMs. `is_beside`: its kernels are there beside those of others. Pre: a
  /// task's kernels come before its copies.
  [[nodiscard]] auto for_kernels(const pool_lane& l, bool is_own, bool is_beside) -> typename D::stream& {
    for (const auto& o : opened_) {
      const sm_range& r = o->range;
      const bool same = r.gpu == l.range.gpu && r.first == l.range.first && r.count == l.range.count;
      if (same && !is_beside) { return o->stream; }
    }
    return open(l.range, l.in_order && (is_own || is_beside) ? l.task : nobody);
  }
  [[nodiscard]] auto for_copies(const pool_lane& l) -> typename D::stream& {
    for (const auto& o : opened_) {
      if (l.in_order && o->task == l.task) { return o->stream; }
    }
    return open({}, l.in_order ? l.task : nobody);
  }

 private:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  struct opened {
    sm_range range{};
    std::uint32_t task = nobody;
    typename D::stream stream;
  };

  [[nodiscard]] auto open(const sm_range& r, std::uint32_t task) -> typename D::stream& {
    opened_.push_back(std::unique_ptr<opened>{new opened{r, task, device_->open(r)}});
    return opened_.back()->stream;
  }

  D* device_;
  std::vector<std::unique_ptr<opened>> opened_;
};

/// A machine with streams on SM ranges and copy engines. It serves copy engines, and a GPU whose tasks have SMs of
/// their own or that has one kernel at a time. It also serves a GPU with a block queue, which the device keeps by
/// itself. What it has begun it ends.
template <StreamDevice D, class Kind>
class stream_device final : public typed_device<D, typename unit_operation<D, Kind>::works> {
 public:
  using works = typename unit_operation<D, Kind>::works;

  /// `streams`: shared by all pools that the device serves. Pre: the device outlives it.
  stream_device(D& device, std::shared_ptr<task_streams<D>> streams, works bound)
      : typed_device<D, works>{device, std::move(bound)}, streams_{std::move(streams)} {}

  [[nodiscard]] auto decides_by_itself(const pool_to_serve& p) const -> bool override {
    return BlockQueueDevice<D> && p.traits.queues_blocks;
  }
  [[nodiscard]] auto reports_units() const -> bool override {
    constexpr bool reports_pieces = requires(const typename D::stream& s) { s.served(); };
    return reports_pieces || !decides_by_itself(pool_);
  }
  [[nodiscard]] auto serves(const pool_to_serve& p) const -> bool override {
    const bool is_there = Kind::on_gpu ? p.is_gpu : p.is_copy_engines;
    if (!is_there || p.hands_out_percents || p.traits.takes_units_back || !device_->serves(p.board)) { return false; }
    if (!p.traits.queues_blocks) { return Device<D>; }
    if constexpr (BlockQueueDevice<D>) { return device_->serves(p.traits.blocks); }
    return false;
  }
  [[nodiscard]] auto open(const pool_to_serve& p) -> bool override {
    pool_ = p;
    for (const pool_lane& l : p.lanes) {
      opened_.push_back(Kind::on_gpu ? &streams_->for_kernels(l, p.hands_out_sms, p.traits.queues_blocks)
                                     : &streams_->for_copies(l));
    }
    return device_->ready();
  }
  [[nodiscard]] auto worker(std::size_t lane, worker_reports reports) -> std::unique_ptr<visit_worker> override {
    return std::make_unique<detail::stream_worker<D, Kind>>(*opened_[lane], pool_, lane, works_, std::move(reports));
  }
  void close() override {}
  [[nodiscard]] auto serve_at(int priority) -> bool override { return device_->serve_at(priority); }

 private:
  using typed_device<D, works>::device_;
  using typed_device<D, works>::works_;

  std::shared_ptr<task_streams<D>> streams_;
  pool_to_serve pool_{};
  std::vector<typename D::stream*> opened_;
};

}  // namespace takt::inline TAKT_ABI::runtime
