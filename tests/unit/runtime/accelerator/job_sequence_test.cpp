// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/runtime/accelerator/job_sequence.hpp>
#include <takt/runtime/accelerator/slot_clock.hpp>

namespace {

using takt::ticks;
using takt::runtime::arrival;
using takt::runtime::backlog_handling;
using takt::runtime::job_sequence;
using takt::runtime::never;
using takt::runtime::slot_clock;

}  // namespace

TEST_CASE("releases follow one another by the period exactly, and late jobs wait for each other") {
  job_sequence jobs{100, 10, 8, backlog_handling::queue};
  CHECK(jobs.next_release() == 100);
  CHECK(jobs.next_deadline() == never);
  CHECK(jobs.release() == arrival::starts);
  CHECK(jobs.release() == arrival::waits);
  CHECK(jobs.release() == arrival::waits);
  CHECK(jobs.next_release() == 130);
  CHECK(jobs.release_of(jobs.current()) == 100);
  CHECK(jobs.complete());
  CHECK(jobs.current() == 1);
  CHECK(jobs.release_of(1) == 110);
  CHECK(jobs.deadline_of(2) == 128);
  CHECK(jobs.complete());
  CHECK_FALSE(jobs.complete());
  CHECK_FALSE(jobs.incomplete());
  CHECK(jobs.release() == arrival::starts);
  CHECK(jobs.current() == 3);
  CHECK(jobs.release_of(3) == 130);
}

TEST_CASE("a release that finds its job unfinished is dropped where that is asked for") {
  job_sequence jobs{0, 10, 10, backlog_handling::skip};
  CHECK(jobs.release() == arrival::starts);
  CHECK(jobs.release() == arrival::dropped);
  CHECK(jobs.release() == arrival::dropped);
  CHECK(jobs.released() == 1);
  CHECK_FALSE(jobs.complete());
  CHECK(jobs.release() == arrival::starts);
  CHECK(jobs.current() == 1);
  CHECK(jobs.release_of(1) == 30);
}

TEST_CASE("each deadline is watched once, in order, also those of jobs that wait") {
  job_sequence jobs{0, 10, 5, backlog_handling::queue};
  (void)jobs.release();
  CHECK(jobs.next_deadline() == 5);
  jobs.pass_deadline();
  CHECK(jobs.next_deadline() == never);
  (void)jobs.release();
  (void)jobs.release();
  CHECK(jobs.next_deadline() == 15);
  jobs.pass_deadline();
  CHECK(jobs.complete());
  CHECK(jobs.watched() == 2);
  CHECK(jobs.next_deadline() == 25);
  CHECK(jobs.complete());
  CHECK(jobs.next_deadline() == 25);
  CHECK_FALSE(jobs.complete());
  CHECK(jobs.next_deadline() == never);
}

TEST_CASE("a slot clock says what a walk over all instants says") {
  for (ticks period = 1; period <= 7; ++period) {
    for (ticks offset = 0; offset < period; ++offset) {
      for (ticks budget = 0; budget <= period; ++budget) {
        for (ticks guard = 0; guard <= 2; ++guard) {
          const slot_clock clock{{.offset = offset, .budget = budget, .period = period}, guard};
          const auto open = [&](ticks t) {
            bool inside = false;
            for (ticks k = -1; k <= t; ++k) {
              const ticks begin = offset + k * period;
              inside = inside || (begin <= t && t < begin + budget - guard);
            }
            return inside;
          };
          for (ticks t = 0; t < 3 * period; ++t) {
            CAPTURE(period);
            CAPTURE(offset);
            CAPTURE(budget);
            CAPTURE(guard);
            CAPTURE(t);
            CHECK(clock.is_open(t) == open(t));
            ticks edge = t + 1;
            while (edge <= t + period && open(edge) == open(edge - 1)) { ++edge; }
            CHECK(clock.next_edge(t) == (edge <= t + period ? edge : never));
          }
        }
      }
    }
  }
}
