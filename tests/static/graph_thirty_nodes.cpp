// SPDX-License-Identifier: Apache-2.0
//
// Thirty nodes in four graphs are bounded in a constant expression with the default limits of every compiler.
// TAKT-TEST: OVX-03 end-to-end bounds of thirty nodes are constants
#include <takt/graphs.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace graph_thirty_nodes {

using namespace takt::literals;

constexpr auto board = takt::platform(
    takt::pool(takt::processors(8), takt::clustered(takt::g_fl, 4)),
    takt::pool(takt::block_slots(16, 1024, 16), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));

constexpr auto on_gpu(std::int64_t blocks, takt::duration length) {
  return takt::kernel(takt::grid(blocks, 256), takt::block_length(length), takt::launch(90_us), takt::await(60_us));
}

constexpr auto detector(const char* name, std::int32_t cluster, takt::duration period, takt::duration unit) {
  return takt::graph(name, takt::period(period), takt::on_cluster(cluster),                //
                     takt::node("capture", takt::cpu(unit)),                               //
                     takt::node("undistort", on_gpu(96, unit)),                            //
                     takt::node("near", on_gpu(64, unit)),                                 //
                     takt::node("far", on_gpu(32, unit)),                                  //
                     takt::node("near boxes", takt::cpu(unit)),                            //
                     takt::node("far boxes", takt::cpu(unit)),                             //
                     takt::node("track", takt::cpu(unit)),                                 //
                     takt::edge("capture", "undistort"),                                   //
                     takt::edge("undistort", "near"), takt::edge("undistort", "far"),      //
                     takt::edge("near", "near boxes"), takt::edge("far", "far boxes"),     //
                     takt::edge("near boxes", "track"), takt::edge("far boxes", "track"),  //
                     takt::history("track", "near boxes", 3));
}

constexpr auto lidar = takt::graph(
    "lidar", takt::period(100_ms), takt::on_cluster(1),  //
    takt::node("scan", takt::cpu(4_ms), takt::writes("points")),
    takt::node("ground", on_gpu(128, 3_ms), takt::reads("points"), takt::writes("plane")),
    takt::node("voxels", on_gpu(200, 2_ms), takt::reads("points"), takt::writes("grid")),
    takt::node("clusters", takt::cpu(7_ms), takt::reads("plane"), takt::reads("grid"), takt::writes("objects")),
    takt::node("classify", on_gpu(64, 5_ms), takt::reads("objects"), takt::writes("classes")),
    takt::node("motion", takt::cpu(6_ms), takt::reads("objects"), takt::reads("past"), takt::writes("speeds")),
    takt::node("keep", takt::cpu(1_ms), takt::reads("objects"), takt::writes("past")), takt::delayed("past", 5),
    takt::node("fuse", takt::cpu(5_ms), takt::reads("classes"), takt::reads("speeds")),
    takt::node("publish", takt::cpu(1_ms)), takt::edge("fuse", "publish"));

constexpr auto graphs = takt::graph_set(detector("front", 0, 33_ms, 1_ms), detector("left", 0, 50_ms, 2_ms),
                                        detector("right", 1, 50_ms, 2_ms), lidar);
static_assert(graphs.flat().nodes.size() == 30);
static_assert(graphs.graphs.nodes.size() == 30);

constexpr auto verdict = takt::analysis::analyze_by<takt::published>(board, graphs);
static_assert(verdict.bounded());
static_assert(verdict.end_to_end(0) <= 250_ms);
static_assert(verdict.end_to_end(0) < verdict.end_to_end(3));
static_assert(verdict.visits.size() > 30 && verdict.plan.offsets.size() == verdict.visits.size());

}  // namespace graph_thirty_nodes
