// EXPECT: takt: this bound needs a stream per job
// TAKT-TEST: OVX-19 theorems that need a stream per job are refused for a stream per task
#include <takt/analysis/methods/block_queue/separated_enqueues.hpp>

using takt::one_stream_per_job;
using takt::one_stream_per_task;

constexpr auto kernels = [] {
#ifdef TAKT_FIXED
  takt::block_table<takt::ticks, 1, one_stream_per_job> table;
#else
  takt::block_table<takt::ticks, 1, one_stream_per_task> table;
#endif
  static_cast<void>(table.add({.name = "k", .length = 3, .period = 5, .blocks = 2, .threads = 1024}));
  return table;
}();
constexpr auto bounds = takt::analysis::separated_enqueue_response(kernels, takt::block_gpu{.sms = 2});
