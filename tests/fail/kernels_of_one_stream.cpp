// EXPECT: takt: this bound needs a stream per job
// TAKT-TEST: OVX-19 theorems that need a stream per job are refused for a stream per task
#include <takt/analysis/methods/block_queue/separated_enqueues.hpp>

#ifdef TAKT_FIXED
constexpr auto streams = takt::per_job_streams;
#else
constexpr auto streams = takt::per_task_streams;
#endif

constexpr auto kernels = [] {
  takt::task_rows<takt::block_kernel<takt::ticks>, 1> out;
  static_cast<void>(out.add({.name = "k", .length = 3, .period = 5, .blocks = 2, .threads = 1024}));
  return out;
}();
constexpr auto bounds = takt::analysis::separated_enqueue_response(kernels, takt::block_gpu{.sms = 2}, streams);
