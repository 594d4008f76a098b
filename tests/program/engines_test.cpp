// SPDX-License-Identifier: Apache-2.0
// One study on threads, on ranks of MPI, in shards and as jobs of a batch system gives the same bytes.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>

#include "program.hpp"

namespace {

using takt::test::contains;
using takt::test::outcome;
using takt::test::read;
using takt::test::scratch;

const std::string small = "policies --sets 40 --levels 0.4,0.8,1.2 ";
const std::string early = small + "--set interval=250 --set least-sets=10 ";

[[nodiscard]] auto has(const std::string& program) -> bool {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}
/// Whether there is mpirun, and the program was built with MPI.
[[nodiscard]] auto has_mpi() -> bool {
  static const bool both = has("mpirun") && std::system("ldd \"" TAKT_PROGRAM "\" 2>/dev/null | grep -q libmpi") == 0;
  return both;
}

/// Runs a line of a shell; what it prints goes to a file.
auto shell(const std::string& line, const std::string& out) -> std::string {
  const std::string all = "{ " + line + "; } >" + out + " 2>" + out + ".err";
  (void)std::system(all.c_str());
  return read(out);
}

[[nodiscard]] auto on_ranks(int ranks, const std::string& arguments) -> std::string {
  return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n " +
         std::to_string(ranks) + " \"" TAKT_PROGRAM "\" sweep " + arguments + " --mpi";
}

[[nodiscard]] auto units_in(const std::string& folder) -> std::map<std::string, int> {
  std::map<std::string, int> out;
  for (const auto& file : std::filesystem::directory_iterator{folder}) {
    std::ifstream lines{file.path()};
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      if (!line.starts_with('@')) { ++out[line.substr(0, line.find(' '))]; }
    }
  }
  return out;
}

/// Stands in for Slurm: runs the jobs of an array one after the other, but for those in `skip`.
[[nodiscard]] auto path_with_sbatch(const std::string& skip) -> std::string {
  const std::string folder = scratch("slurm");
  std::filesystem::create_directories(folder);
  std::ofstream{folder + "/sbatch"} << R"(#!/usr/bin/env bash
array=""
for a in "$@"; do
  case $a in
    --array=*) array=${a#--array=} ;;
    --dependency=*) [[ $a =~ ^--dependency=afterany(:[0-9]+)+$ ]] || exit 1 ;;
  esac
done
job=$(mktemp)
cat >"$job"
echo "$RANDOM;cluster"
{
  echo "sbatch $*"
  if [ -z "$array" ]; then bash "$job"; else
    for i in $(seq "${array%-*}" "${array#*-}"); do
      [[ " $SKIP " == *" $i "* ]] || SLURM_ARRAY_TASK_ID=$i bash "$job"
    done
  fi
  rm "$job"
} >>"$LOG" 2>&1
)";
  std::filesystem::permissions(folder + "/sbatch", std::filesystem::perms::owner_all);
  return "LOG=" + scratch("slurm/log") + " SKIP='" + skip + "' PATH=" + folder + ":$PATH ";
}

}  // namespace

TEST_CASE("one thread, two threads, four ranks and seven shards give the same bytes, also where points end early") {
  for (const std::string& study : {small, early}) {
    CAPTURE(study);
    const std::string one = takt::test::takt("sweep " + study + "--jobs 1").out;
    CHECK_FALSE(one.empty());
    CHECK(one == takt::test::takt("sweep " + study + "--jobs 2").out);
    const std::string folder = scratch(study == small ? "seven" : "seven-early");
    for (int i = 1; i <= 7; ++i) {
      CHECK(takt::test::takt("sweep " + study + "--shard " + std::to_string(i) + "/7 --resume " + folder).code == 0);
    }
    CHECK(takt::test::takt("sweep " + study + "--merge --resume " + folder).out == one);
    if (has_mpi()) {
      CHECK(shell(on_ranks(4, study), scratch("ranks.csv")) == one);
      CHECK(shell(on_ranks(2, study + "--jobs 2"), scratch("ranks.csv")) == one);
    }
  }
}

TEST_CASE("a run on ranks that is killed at random moments and resumed has the bytes of an uninterrupted one" *
          doctest::skip(!has_mpi())) {
  const std::string whole = takt::test::takt("sweep " + small).out;
  takt::random_stream random{8};
  const std::string folder = scratch("killed-ranks");
  for (int kill = 0; kill < 3; ++kill) {
    const std::string after = "0." + std::to_string(random.between(3, 9));
    (void)shell("timeout -s KILL " + after + " " + "env " + on_ranks(3, small + "--resume " + folder),
                scratch("killed.csv"));
  }
  CHECK(shell(on_ranks(3, small + "--resume " + folder), scratch("resumed.csv")) == whole);
}

TEST_CASE("ranks end with their launcher, and let go of the journal" * doctest::skip(!has_mpi() || !has("flock"))) {
  const std::string folder = scratch("without-launcher");
  const std::string study = "policies --sets 4000 --levels 0.4,0.8,1.2 ";
  // Soon nobody has the journal any more.
  const std::string line = on_ranks(3, study + "--resume " + folder) + " >/dev/null 2>&1 & launcher=$!; " +
                           "for i in $(seq 600); do [ -s " + folder + "/*.journal ] && break; sleep 0.05; done; " +
                           "flock -n " + folder + "/*.journal true || echo held; kill -KILL $launcher; " +
                           "flock -w 0.6 " + folder + "/*.journal echo free";
  CHECK(shell(line, scratch("launcher.out")) == "held\nfree\n");
}

TEST_CASE("a rank that is killed loses nothing that was reported, and no block is counted twice" *
          doctest::skip(!has_mpi())) {
  const std::string study = "policies --sets 150 --levels 0.4,0.8,1.2 ";
  const std::string whole = takt::test::takt("sweep " + study).out;
  const std::string folder = scratch("killed-rank");
  std::filesystem::create_directories(folder);
  // The last rank ends itself, as soon as some blocks are known.
  const std::string last = "for i in $(seq 1000); do [ $(cat " + folder +
                           "/*.journal 2>/dev/null | grep -vc '^@') -ge 8 ] && break; " +
                           "sleep 0.02; done; kill -KILL $(pgrep -f -- '--resume " + folder + " --mpi' | " +
                           "xargs -r ps -o pid=,comm= -p | grep -w takt | sort -n | tail -1 | cut -c1-8)";
  (void)shell(on_ranks(3, study + "--resume " + folder) + " & " + last + "; wait", scratch("rank.csv"));
  const auto reported = units_in(folder);
  CHECK(reported.size() >= 7);
  const bool is_part = reported.size() < 45;
  CHECK(is_part);
  const outcome rest = takt::test::takt("sweep " + study + "--resume " + folder);
  CHECK(rest.out == whole);
  const auto all = units_in(folder);
  CHECK(all.size() == 45);
  for (const auto& [unit, times] : all) { CHECK(times == 1); }
}

TEST_CASE("an error on ranks is said once, with the exit code of the first one" * doctest::skip(!has_mpi())) {
  const std::string err = scratch("wrong.csv");
  (void)shell(on_ranks(3, "policies --sets 0"), err);
  const std::string said = read(err + ".err");
  const std::size_t first = said.find("an integer from 1 to");
  CHECK(first != std::string::npos);
  CHECK(said.find("an integer from 1 to", first + 1) == std::string::npos);
}

TEST_CASE("a script for Slurm submits arrays under their limit, and a merge after them that gives the same bytes") {
  const std::string whole = takt::test::takt("sweep " + small).out;
  const std::string csv = scratch("it's $HOME.csv");
  const outcome script = takt::test::takt("sweep " + small + "--emit slurm --parts 7 --array-limit 3 --resume " +
                                          scratch("slurm-parts") + " --csv \"" + scratch("it's \\$HOME.csv") + "\"");
  REQUIRE(script.code == 0);
  const std::string path = takt::test::write("slurm.sh", script.out);
  (void)shell(path_with_sbatch("") + "bash " + path + " --partition=long", scratch("slurm.out"));
  CHECK(read(csv) == whole);
  const std::string log = read(scratch("slurm/log"));
  for (const char* words : {"--array=0-2 --partition=long", "--array=0-0 --partition=long", "--dependency=afterany:"}) {
    CAPTURE(words);
    CHECK(contains(log, words));
  }
}

TEST_CASE("only the blocks that no output proves are run again, whatever the scheduler says of their jobs") {
  const std::string whole = takt::test::takt("sweep " + small).out;
  const std::string folder = scratch("lost-parts");
  const std::string csv = scratch("lost.csv");
  const std::string call = "sweep " + small + "--parts 4 --resume " + folder + " --csv " + csv + " --emit slurm";
  const std::string path = takt::test::write("lost.sh", takt::test::takt(call).out);
  (void)shell(path_with_sbatch("1 3") + "bash " + path, scratch("lost.out"));
  CHECK_FALSE(std::filesystem::exists(csv));
  const outcome merge = takt::test::takt("sweep " + small + "--merge --resume " + folder);
  CHECK(merge.code == 4);
  CHECK(contains(merge.err, "6 blocks are in no journal"));
  const auto before = units_in(folder);
  const outcome again = takt::test::takt(call + " --rerun-missing");
  CHECK(contains(again.err, "6 blocks are in no journal of " + folder + ": 3-5,9-11"));
  const std::string second = takt::test::write("again.sh", again.out);
  CHECK(contains(again.out, "--blocks"));
  (void)shell(path_with_sbatch("") + "bash " + second, scratch("again.out"));
  CHECK(read(csv) == whole);
  const auto after = units_in(folder);
  CHECK(after.size() == 12);
  for (const auto& [unit, times] : after) { CHECK(times == 1); }
  for (const auto& [unit, times] : before) { CHECK(after.contains(unit)); }
}

TEST_CASE("missing blocks are run again here, too, and none where nothing is missing") {
  const std::string whole = takt::test::takt("sweep " + small).out;
  const std::string folder = scratch("rerun");
  REQUIRE(takt::test::takt("sweep " + small + "--blocks 0-3,7 --resume " + folder).code == 0);
  CHECK(units_in(folder).size() == 5);
  const outcome rest = takt::test::takt("sweep " + small + "--rerun-missing --resume " + folder);
  CHECK(rest.out == whole);
  CHECK(contains(rest.err, "7 blocks are in no journal of " + folder + ": 4-6,8-11"));
  const outcome none = takt::test::takt("sweep " + small + "--rerun-missing --resume " + folder);
  CHECK(none.out == whole);
  CHECK(contains(none.err, "0 blocks are in no journal"));
}

TEST_CASE("a script for GNU parallel gives the same bytes" * doctest::skip(!has("parallel"))) {
  const std::string whole = takt::test::takt("sweep " + early).out;
  const outcome script =
      takt::test::takt("sweep " + early + "--emit parallel --parts 3 --resume " + scratch("parallel-parts"));
  REQUIRE(script.code == 0);
  CHECK(shell("bash " + takt::test::write("parallel.sh", script.out) + " -j 2", scratch("parallel.csv")) == whole);
}

TEST_CASE("options of sweep that do not go together are refused, and which other one is needed") {
  const std::string folder = " --resume " + scratch("none");
  for (const auto& [call, words] : std::map<std::string, std::string>{
           {"--shard 1/2 --blocks 3" + folder, "--shard: cannot be together with --blocks"},
           {"--mpi --shard 1/2" + folder, ""},
           {"--merge --shard 1/2" + folder, "--merge: cannot be together with --shard"},
           {"--merge", "--resume DIR too"},
           {"--merge" + folder, "holds no journal of policies"},
           {"--rerun-missing", "--resume DIR too"},
           {"--rerun-missing" + folder, "holds no journal of policies"},
           {"--blocks 3", "--resume DIR too"},
           {"--blocks 3-1" + folder, "--blocks: \"3-1\" names no blocks"},
           {"--blocks 99" + folder, "--blocks: block 99 is none of this study: expected 0 to 11"},
           {"--emit slurm --parts 3", "--resume DIR too"},
           {"--emit slurm" + folder, "--parts N too"},
           {"--emit lsf --parts 3" + folder, "slurm, parallel"},
           {"--parts 3", "--emit slurm or --emit parallel too"},
           {"--emit slurm --parts 3 --array-limit 0" + folder, "--array-limit: is 0"}}) {
    CAPTURE(call);
    const outcome o = takt::test::takt("sweep " + small + call);
    INFO(o.err);
    CHECK(o.code >= 3);
    CHECK(o.out.empty());
    CHECK(contains(o.err, words));
  }
}
