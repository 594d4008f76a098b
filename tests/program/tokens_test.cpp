// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::data;
using takt::test::object;
using takt::test::outcome;
using takt::test::refusal;
using takt::test::with;
using takt::test::write;

auto tokens_file() -> std::string { return takt::test::read(data("gcaps-xavier-tokens")); }

/// With ten times the periods and deadlines, so that all tasks fit on it.
auto on_one_core(std::string text) -> std::string {
  text = with(text, "\"count\": 2", "\"count\": 1");
  for (const char* core : {"0", "1", "1", "0", "0"}) { text = with(text, std::string{", \"core\": "} + core, ""); }
  for (const char* time : {"100000000", "150000000", "200000000", "300000000", "400000000"}) {
    const std::string given = std::string{time} + ",";
    for (int times = 0; times < 2; ++times) { text = with(text, given, std::string{time} + "0,"); }
  }
  return text;
}

}  // namespace

TEST_CASE("program: tokens are analysed and simulated under the protocol that the file names") {
  for (const std::string protocol : {"k-fmlp", "r2dglp", "ck-omlp"}) {
    CAPTURE(protocol);
    // The R2DGLP has a bound for one core.
    std::string text = with(tokens_file(), "k-fmlp", protocol);
    if (protocol == "r2dglp") { text = on_one_core(text); }
    const std::string path = write("tokens.json", text);
    const outcome o = takt::test::takt("analyze --json " + path);
    const json v = object(o);
    CHECK(o.code == 0);
    CHECK((v.at("analysis") == "locked-gpu-" + protocol || v.at("analysis") == "holistic"));
    CHECK(v.at("platform").at("copy_engines").at("policy") == "fifo");
    CHECK(v.at("platform").at("gpus").at(0).at("sharing") == "tokens");
    for (const char* how : {"", "--releases worst --execution random --seed 3 "}) {
      const json run = object(takt::test::takt(std::string{"simulate --json "} + how + path));
      CHECK(run.at("status") == "no-miss");
      for (const json& t : run.at("tasks")) { CHECK(t.at("within_bound") == true); }
    }
  }
}

TEST_CASE("program: the parts of a bound under tokens are explained") {
  const outcome all = takt::test::takt("analyze " + data("gcaps-xavier-tokens"));
  CHECK(all.code == 0);
  CHECK(contains(all.out, "2 tokens per GPU"));
  const outcome one = takt::test::takt("explain --task histogram " + data("gcaps-xavier-tokens"));
  CHECK(one.code == 0);
  CHECK(contains(one.out, "waiting for tokens that others hold"));
}

TEST_CASE("program: what does not go with tokens is refused") {
  const std::string good = tokens_file();
  CHECK(contains(refusal("analyze", with(good, "\"protocol\": \"k-fmlp\"", "\"speed\": 1")),
                 "/platform/gpus/0/protocol: is missing: expected \"k-fmlp\", \"r2dglp\", \"ck-omlp\""));
  CHECK(contains(refusal("analyze", with(good, "k-fmlp", "ck-omp")), "the nearest is \"ck-omlp\""));
  CHECK(contains(refusal("analyze", with(good, "\"tokens_per_gpu\": 2", "\"tokens_per_gpu\": 7")),
                 "/platform/gpus/0/tokens_per_gpu: 7 "));
  CHECK(contains(refusal("analyze", with(good, "\"tokens\"", "\"isolated\"")),
                 "/platform/gpus/0/protocol: says nothing about \"isolated\" sharing: expected \"tokens\" sharing"));
  CHECK(contains(refusal("analyze", with(good, "\"gpus\"",
                                         R"("copy_engines": {"policy": "nonpreemptive-fixed-priority"}, "gpus")")),
                 "/platform/copy_engines/policy: "));
  // The published method of the R2DGLP knows one core, the pools know more.
  CHECK(takt::test::takt("analyze " + write("cores.json", with(good, "k-fmlp", "r2dglp"))).code == 0);
  for (const char* option : {"--analysis enhanced-mpcp", "--analysis rtgpu-best"}) {
    CHECK(contains(refusal(std::string{"analyze "} + option, good), "--analysis: says nothing about tokens"));
  }
  CHECK(contains(refusal("analyze --search exact", good), "--search: says nothing about kernels that all have"));
  CHECK(contains(refusal("run --for 10ms --analysis rtgpu", good), "--analysis: says nothing about tokens"));
}
