// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include "../exit_code.hpp"
#include "../failure.hpp"

#ifdef TAKT_HAS_MPI

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <mpi.h>
#include <unistd.h>

#include <takt/study/count_units.hpp>

namespace takt::program::sweep {

namespace {

using message = std::vector<std::int64_t>;

/// What ranks say to each other. Only the thread that began does so.
enum tag : std::uint8_t {
  hello,   ///< to the first rank: threads, and the characters of a machine's words
  ask,     ///< to it: there is little left to do
  found,   ///< to it: a unit and its counts
  broken,  ///< to it: the characters of what was thrown
  bye,     ///< to it: the last message
  units,   ///< from it: what is to be done
  stop,    ///< from it: nothing more
};

constexpr std::size_t most_at_once = 64;

/// Between two looks for messages, each of which takes time from what counts: longer while there is nothing.
class idle_pause {
 public:
  void reset() { next_ = shortest; }
  void sleep() {
    std::this_thread::sleep_for(next_);
    next_ = std::min(2 * next_, longest);
  }

 private:
  static constexpr std::chrono::microseconds shortest{500};
  static constexpr std::chrono::microseconds longest{8000};
  std::chrono::microseconds next_ = shortest;
};

[[nodiscard]] auto rank() -> int {
  int out = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &out);
  return out;
}
[[nodiscard]] auto rank_count() -> int {
  int out = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &out);
  return out;
}

void send(int to, tag what, const message& m) {
  MPI_Send(m.data(), static_cast<int>(m.size()), MPI_INT64_T, to, what, MPI_COMM_WORLD);
}
[[nodiscard]] auto characters(const std::string& text, message out = {}) -> message {
  out.insert(out.end(), text.begin(), text.end());
  return out;
}
[[nodiscard]] auto text_of(std::span<const std::int64_t> m) -> std::string {
  std::string out;
  for (const std::int64_t c : m) { out += static_cast<char>(c); }
  return out;
}

struct received {
  int from = 0;
  tag what = hello;
  message content;
};
/// A message that is there.
[[nodiscard]] auto receive() -> std::optional<received> {
  int is_there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
  if (is_there == 0) { return {}; }
  int length = 0;
  MPI_Get_count(&status, MPI_INT64_T, &length);
  received out{status.MPI_SOURCE, static_cast<tag>(status.MPI_TAG), message(static_cast<std::size_t>(length))};
  MPI_Recv(out.content.data(), length, MPI_INT64_T, out.from, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return out;
}

/// The first rank: deals, keeps what comes in, and counts on threads of its own.
class first_rank {
 public:
  first_rank(session& s, unsigned jobs) : session_{&s}, jobs_{jobs} {
    for (int r = 0; r < rank_count(); ++r) { workers_.push_back({}); }
    everywhere_ = jobs * workers_.size();
  }

  void run() {
    const std::jthread counting{[this] { count(); }};
    idle_pause pause;
    for (bool over = false; !over;) {
      bool idle = true;
      while (const auto m = receive()) {
        idle = false;
        take(*m);
      }
      {
        const std::scoped_lock lock{mutex_};
        for (std::size_t r = 1; r < workers_.size(); ++r) {
          if (workers_[r].asks) { idle = !serve(r) && idle; }
        }
        over = failure_ || session_->is_stopped() || (dealt_.empty() && session_->left() == 0);
      }
      if (!idle) {
        pause.reset();
      } else if (!over) {
        pause.sleep();
      }
    }
    {
      const std::scoped_lock lock{mutex_};
      over_ = true;
    }
    for (int r = 1; r < rank_count(); ++r) { send(r, stop, {0}); }
    while (left_ + 1 < workers_.size()) {
      if (const auto m = receive()) {
        take(*m);
        pause.reset();
      } else {
        pause.sleep();
      }
    }
  }
  [[nodiscard]] auto failure() const -> std::exception_ptr { return failure_; }

 private:
  struct worker {
    bool asks = false;
    std::size_t number = 0;  ///< of the session
    unsigned jobs = 1;
  };
  /// A unit that is being counted, and by how many.
  struct dealt_unit {
    std::size_t index = 0;
    std::size_t holder = 0;
    bool twice = false;
  };

  void take(const received& m) {
    const std::scoped_lock lock{mutex_};
    worker& w = workers_[static_cast<std::size_t>(m.from)];
    const std::span<const std::int64_t> content{m.content};
    switch (m.what) {
      case hello:
        w.jobs = static_cast<unsigned>(content[0]);
        w.number = session_->add_worker(text_of(content.subspan(1)), w.jobs);
        return;
      case ask: w.asks = true; return;
      case found: keep(static_cast<std::size_t>(content[0]), content.subspan(1), w.number); return;
      case broken:
        fail(std::make_exception_ptr(studies::failure{fmt::format("rank {}: {}", m.from, text_of(content))}));
        return;
      case bye: ++left_; return;
      case units:
      case stop: return;
    }
  }
  void keep(std::size_t index, std::span<const std::int64_t> counts, std::size_t number) {
    try {
      session_->finished(index, counts, number);
    } catch (...) { fail(std::current_exception()); }
    std::erase_if(dealt_, [&](const dealt_unit& d) { return session_->counts().knows(d.index); });
  }
  void fail(std::exception_ptr what) {
    if (!failure_) { failure_ = std::move(what); }
  }
  /// A new unit, or one that another rank has had for long: whoever is done first has done it.
  [[nodiscard]] auto deal(std::size_t to) -> std::optional<std::size_t> {
    if (const auto fresh = session_->next()) {
      dealt_.push_back({*fresh, to});
      return fresh;
    }
    const auto late = std::ranges::find_if(dealt_, [to](const dealt_unit& d) { return d.holder != to && !d.twice; });
    if (late == dealt_.end() || session_->is_stopped()) { return {}; }
    late->twice = true;
    return late->index;
  }
  /// Whether there was something for it. Fewer at a time towards the end, so that no rank is left with many.
  [[nodiscard]] auto serve(std::size_t r) -> bool {
    const std::size_t fair = session_->left() / (4 * everywhere_) * workers_[r].jobs;
    const std::size_t wanted = std::clamp<std::size_t>(fair, workers_[r].jobs, most_at_once);
    message out;
    while (out.size() < wanted) {
      const bool fresh = session_->left() > 0;
      const auto next = deal(r);
      if (!next) { break; }
      out.push_back(static_cast<std::int64_t>(*next));
      if (!fresh) { break; }
    }
    if (out.empty()) { return false; }
    workers_[r].asks = false;
    send(static_cast<int>(r), units, out);
    return true;
  }
  void count() {
    const auto next = [this]() -> std::optional<std::size_t> {
      idle_pause pause;
      while (true) {
        {
          const std::scoped_lock lock{mutex_};
          if (over_ || failure_) { return {}; }
          if (const auto unit = deal(0)) { return unit; }
        }
        pause.sleep();
      }
    };
    try {
      count_on_threads(session_->counts(), jobs_, session_->designed().count, next,
                       [this](std::size_t index, std::span<const std::int64_t> counts) {
                         const std::scoped_lock lock{mutex_};
                         keep(index, counts, 0);
                       });
    } catch (...) {
      const std::scoped_lock lock{mutex_};
      fail(std::current_exception());
    }
  }

  session* session_;
  unsigned jobs_;
  std::size_t everywhere_ = 1;
  std::mutex mutex_;
  bool over_ = false;
  std::vector<worker> workers_;
  std::vector<dealt_unit> dealt_;
  std::size_t left_ = 0;  ///< ranks that have said their last word
  std::exception_ptr failure_;
};

/// Another rank: asks for units while its threads count those that it has.
class other_rank {
 public:
  explicit other_rank(const experiment& designed) : designed_{&designed}, sizes_{designed.size()} {}

  void run(unsigned jobs) {
    const std::string words = fmt::format("rank {} of {}, {}", rank(), rank_count(), machine_words());
    send(0, hello, characters(words, {std::int64_t{jobs}}));
    std::jthread counting{[this, jobs] { count(jobs); }};
    bool asked = false;
    idle_pause pause;
    while (true) {
      bool idle = true;
      while (const auto m = receive()) {
        idle = false;
        if (m->what == stop) {
          send(0, bye, {0});
          end();
          return;
        }
        asked = false;
        const std::scoped_lock lock{mutex_};
        todo_.insert(todo_.end(), m->content.begin(), m->content.end());
        ready_.notify_all();
      }
      std::vector<message> done;
      std::string thrown;
      bool asks = false;
      {
        const std::scoped_lock lock{mutex_};
        done.swap(done_);
        thrown.swap(thrown_);
        asks = !asked && todo_.size() < jobs;
      }
      for (const message& m : done) { send(0, found, m); }
      if (!thrown.empty()) { send(0, broken, characters(thrown)); }
      if (asks) {
        send(0, ask, {0});
        asked = true;
      }
      if (idle && done.empty() && !asks) {
        pause.sleep();
      } else {
        pause.reset();
      }
    }
  }

 private:
  void end() {
    const std::scoped_lock lock{mutex_};
    over_ = true;
    ready_.notify_all();
  }
  void count(unsigned jobs) {
    const auto next = [this]() -> std::optional<std::size_t> {
      std::unique_lock lock{mutex_};
      ready_.wait(lock, [this] { return over_ || !todo_.empty(); });
      if (over_) { return {}; }
      const auto out = static_cast<std::size_t>(todo_.front());
      todo_.pop_front();
      return out;
    };
    try {
      count_on_threads(sizes_, jobs, designed_->count, next,
                       [this](std::size_t index, std::span<const std::int64_t> counts) {
                         message m{static_cast<std::int64_t>(index)};
                         m.insert(m.end(), counts.begin(), counts.end());
                         const std::scoped_lock lock{mutex_};
                         done_.push_back(std::move(m));
                       });
    } catch (const std::exception& e) {
      const std::scoped_lock lock{mutex_};
      thrown_ = e.what();
    } catch (const environment_error& e) {
      const std::scoped_lock lock{mutex_};
      thrown_ = e.what;
    } catch (const input_error& e) {
      const std::scoped_lock lock{mutex_};
      thrown_ = e.problem;
    }
  }

  const experiment* designed_;
  tally sizes_;
  std::mutex mutex_;
  std::condition_variable ready_;
  bool over_ = false;
  std::deque<std::int64_t> todo_;
  std::vector<message> done_;
  std::string thrown_;
};

/// Ends this process within a tenth of a second when the one that started it is gone. A rank whose mpirun was killed
/// has nobody to report to, and it holds the journal.
void end_with(pid_t launcher, const std::stop_token& until) {
  constexpr std::chrono::milliseconds between_looks{50};
  while (!until.stop_requested()) {
    if (getppid() != launcher) { _exit(static_cast<int>(exit_code::environment)); }
    std::this_thread::sleep_for(between_looks);
  }
}

}  // namespace

ranks::ranks() {
  const pid_t launcher = getppid();
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    throw environment_error{"this MPI cannot be used beside threads"};
  }
  // A single process may have been started without mpirun, by a shell that ends before it.
  if (rank_count() > 1) {
    watch_ = std::jthread{[launcher](const std::stop_token& until) { end_with(launcher, until); }};
  }
}
ranks::~ranks() { MPI_Finalize(); }

auto ranks::is_first() const -> bool { return rank() == 0; }

auto ranks::run(const study& what, const settings& with, const run_options& o) -> std::optional<result> {
  const unsigned jobs = std::max(1U, o.jobs);
  if (!is_first()) {
    std::optional<experiment> designed;
    try {
      designed = what.design(with);
    } catch (...) {  // the first rank says what is wrong
      send(0, bye, {0});
      return {};
    }
    other_rank{*designed}.run(jobs);
    return {};
  }
  std::optional<session> s;
  try {
    s.emplace(what, with, o, jobs);
  } catch (...) {  // the others end at once, and need no answer
    for (int r = 1; r < rank_count(); ++r) { send(r, stop, {0}); }
    throw;
  }
  first_rank first{*s, jobs};
  first.run();
  if (first.failure()) { std::rethrow_exception(first.failure()); }
  return s->take_result();
}

}  // namespace takt::program::sweep

#else

namespace takt::program::sweep {

ranks::ranks() {
  throw environment_error{
      "--mpi: this takt was built without MPI; install libopenmpi-dev and openmpi-bin, and build it again"};
}
ranks::~ranks() = default;
auto ranks::is_first() const -> bool { return true; }
auto ranks::run(const study& /*what*/, const settings& /*with*/, const run_options& /*o*/) -> std::optional<result> {
  return {};
}

}  // namespace takt::program::sweep

#endif
