#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""export_cpp_test.py PROGRAM COMPILER [-IDIR ...] [--all] [--only WORD]: does a C++ program that `takt export cpp` wrote say
what `takt analyze` says? Exports are compiled, several in one unit, and run: status, exit code and the bound of each task are
those of the JSON. --all: every file of the examples, and each way of sharing a GPU; --only: cases whose name has the word."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent.parent
program, compiler = sys.argv[1:3]
includes = [f"-I{root / 'include'}", *(a for a in sys.argv[3:] if a.startswith("-I"))]
only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
in_one_unit = int(os.environ.get("TAKT_EXPORTS_TOGETHER", 6))  # 1: each shows that it includes all that it uses
failures = 0

board = {"cpus": {"count": 2, "policy": "deadline-monotonic"}, "copy_engines": {"count": 1},
         "gpus": [{"sms": 8, "virtual_per_sm": 2, "threads_per_sm": 2048, "blocks_per_sm": 32, "preemption_levels": 2,
                   "context_switch": "100us", "sharing": "isolated"}]}
tasks = [
    {"name": "cam \"1\" \\", "period": "33ms", "deadline": "30ms", "jitter": "100us", "priority": 1,
     "segments": [{"cpu": ["1ms", "2ms"]}, {"copy": "500us", "direction": "to-device"},
                  {"kernel": {"work": ["8ms", "12ms"], "overhead": "20us", "interleave": "9/5", "wcet": "2ms",
                              "preemption_cost": "100us"}},
                  {"copy": "200us", "direction": "to-host"}, {"cpu": "1ms"}]},
    {"name": "class", "period": "40ms", "deadline": None, "priority": 2,
     "segments": [{"cpu": "3ms"}, {"kernel": {"time_on": ["9ms", ["2ms", "5ms"], "4ms"], "wcet": "3ms"}}, {"cpu": "2ms"}]},
    {"name": "control", "period": "5ms", "priority": 0, "segments": [{"cpu": ["300us", "700us"]}]}]
chains = [{"name": "eye to hand", "tasks": ["cam \"1\" \\", "control"], "semantics": ["implicit", "let"], "reaction": "90ms"}]


def made(**changes):
    """The file above with another board, or other keys."""
    out = {"format": "takt/1", "name": "a board", "platform": json.loads(json.dumps(board)), "tasks": tasks, "chains": chains}
    for key in ("gpu", "cpus"):
        of = out["platform"]["gpus"][0] if key == "gpu" else out["platform"]["cpus"]
        of.update(changes.pop(key, {}))
    out["platform"].update(changes.pop("platform", {}))
    return {k: v for k, v in {**out, **changes}.items() if v != []}


example = lambda name: root / "examples" / name


def late(sms, **platform):
    """A task that misses its deadline however the SMs are handed out, beside one that nothing delays."""
    whole = lambda time: [time, time]
    return {"format": "takt/1", "platform": {"cpus": {"count": 1}, "gpus": [{"sms": sms, "virtual_per_sm": 2}], **platform}, "tasks": [
        {"name": "high", "period": "10ms", "priority": 0, "segments": [
            {"cpu": whole("2ms")}, {"kernel": {"work": whole("1us"), "interleave": 1}}, {"cpu": whole("2ms")}]},
        {"name": "low", "period": "10ms", "deadline": "6ms", "priority": 9, "segments": [{"cpu": whole("5ms")}]}]}


graph = {"name": "graph", "period": "50ms", "deadline": "45ms", "nodes": [
    {"name": "a", "cpu": "2ms"}, {"name": "b", "kernel": {"wcet": "4ms"}}, {"name": "c", "copy": "1ms"},
    {"name": "d", "segments": [{"cpu": "1ms"}, {"dsp 2": "3ms"}]}],
    "edges": [["a", "b"], ["a", "c"], ["b", "d"], ["c", "d"]], "history": [["d", "a", 2]]}

# One for each kind of sharing, of tasks, and of what is added to times.
few = [
    ("federated", example("first_system/first.json"), []),
    ("chains", made(), []),
    ("own resource", example("first_system/all_kinds.json"), []),
    ("busy-waiting", made(gpu={"sharing": "busy-waiting"}, tasks=[{**t, "jitter": 0} for t in tasks]), []),
    ("time-sliced", made(gpu={"sharing": "time-sliced", "slice": "2ms"}), []),
    ("whole-gpu under EDF", made(), ["--policy", "whole-gpu", "--cpus", "edf"]),
    ("overlapping graphs", example("data/camera-graph.json"), []),
    ("locked engines", example("data/gpusync-board.json"), []),
    ("applications on shares", example("data/shares-trio.json"), []),
    ("slots", example("data/accelerator-example1.json"), []),
    ("levels", example("data/accelerator-levels.json"), []),
    ("gang", example("data/accelerator-levels.json"), ["--policy", "gang"]),
    ("tokens on clusters", made(), ["--policy", "tokens-k-fmlp", "--cpus", "g-edf"]),
    ("lasting shares", made(), ["--policy", "shares"]),
    ("contention and overheads", made(gpu={"contention": [["class", "cam \"1\" \\", 30000], ["cam \"1\" \\", "class", 20000]]},
                                      platform={"overheads": {"schedule": "3us", "context_switch": "2us"}}), []),
    ("a plan", made(plan={"cores": {"cam \"1\" \\": 1, "class": 0, "control": 1}, "sms": {"cam \"1\" \\": 5, "class": 2}}), []),
    ("graph", made(tasks=[graph, tasks[2]], chains=[], platform={"resources": [{"name": "dsp 2", "count": 2}]},
                   gpu={"sharing": "whole"}), []),
    ("virtual SMs", made(gpu={"sharing": "shared"}), []),
    ("runs that miss under every plan", late(3), []),
    ("neither proven nor broken", late(100), []),
    ("late timers", late(3, overheads={"schedule": "10us", "event_latency": "5us"}), []),
    ("contention alone misses", made(gpu={"contention": [["cam \"1\" \\", "class", 30000000]]}), []),
    ("facts are missing, and a miss is proven", made(gpu={"sharing": "whole"}, chains=[], tasks=[
        {"name": "unknown", "period": "50ms", "segments": [{"cpu": "1ms"}, {"kernel": {"state": 100}}, {"cpu": "1ms"}]},
        {**tasks[2], "deadline": "500us"}]), []),
    ("a proven miss", made(tasks=[{**tasks[0], "deadline": "2ms"}, *tasks[1:]]), [])]


def ask(*arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def every_case():
    for path in sorted(root.glob("examples/**/*.json")):
        if '"takt/1"' in path.read_text():
            yield str(path.relative_to(root)), path, []
    policies = json.loads(ask("compare", "--json", example("first_system/first.json")).stdout)
    words = sorted({row["policy"].split(":")[0] for row in policies["rows"]}) if "rows" in policies else []
    for policy in words or ["federated", "federated-shared", "whole-gpu", "busy-waiting", "time-sliced", "fifo-blocks",
                            "tokens-k-fmlp", "tokens-r2dglp", "tokens-ck-omlp", "levels", "slots", "gang", "shares"]:
        for cpus in ("fixed-priority", "nonpreemptive-edf", "g-fl", "g-rate-monotonic"):
            yield f"{policy} under {cpus}", made(chains=[]), ["--policy", policy, "--cpus", cpus]


def complain(name, why):
    global failures
    failures += 1
    print(f"export cpp: {name}: {why}")


def bounds_of(verdict):
    return [[t["name"], t["response_bound"]] for t in verdict["tasks"]]


printer = r'''
template <class Judge, class Main>
void tell(const Judge& judge, const Main& main_of) {
  const auto found = judge();
  std::ostringstream said;
  auto* const out = std::cout.rdbuf(said.rdbuf());
  const int code = main_of();
  std::cout.rdbuf(out);
  takt::report::json_writer json{std::cout};
  json.begin_object().member("status", name_of(found.verdict.status)).member("code", code).member("said", said.str());
  json.key("tasks").begin_array();
  for (const auto& t : found.verdict.tasks) {
    json.begin_object().member("name", t.name).key("response_bound");
    if (t.bound.exists) { json.value(t.bound.value); } else { json.value(nullptr); }
    json.end_object();
  }
  json.end_array().end_object().finish();
  std::cout << '\x1e';
}
'''


def check(unit, folder):
    """Compiles the exports of some cases as one unit, each in a namespace, and compares what they say."""
    lines, calls = set(), []
    text = ""
    for i, (name, code, _) in enumerate(unit):
        lines |= set(re.findall(r"^#include .*$", code, flags=re.M))
        text += f"namespace export_{i} {{\n" + re.sub(r"^#include .*$", "", code, flags=re.M) + "}\n"
        calls.append(f"  tell([] {{ return export_{i}::judge(); }}, [] {{ return export_{i}::main(); }});\n")
    source = folder / "unit.cpp"
    source.write_text("\n".join(sorted(lines)) + "\n#include <sstream>\n#include <takt/report/json.hpp>\n" + text + printer +
                      "int main() {\n" + "".join(calls) + "}\n")
    built = subprocess.run([compiler, "-std=c++20", "-O0", "-Wall", "-Wextra", *includes, source, "-o", folder / "unit"],
                           capture_output=True, text=True)
    names = ", ".join(name for name, _, _ in unit)
    if built.returncode != 0 or "warning" in built.stderr:
        return complain(names, f"does not compile without a word:\n{built.stderr[:6000]}")
    ran = subprocess.run([folder / "unit"], capture_output=True, text=True, timeout=600)
    told = [json.loads(t) for t in ran.stdout.split("\x1e") if t.strip()]
    if len(told) != len(unit):
        return complain(names, f"ended with {ran.returncode} after {len(told)} programs: {ran.stderr[:500]}")
    for (name, _, (verdict, code)), ours in zip(unit, told):
        if (ours["status"], ours["code"]) != (verdict["status"], code):
            complain(name, f"says {ours['status']} ({ours['code']}), and analyze {verdict['status']} ({code})")
        if bounds_of(ours) != bounds_of(verdict):
            complain(name, f"has the bounds {bounds_of(ours)}, and analyze {bounds_of(verdict)}")
        if f"verdict: {verdict['status']} (" not in ours["said"]:
            complain(name, f"does not print its verdict: {ours['said']}")


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    checked, refused, unit = 0, 0, []
    for name, file, options in (few + list(every_case()) if "--all" in sys.argv else few):
        if only not in name:
            continue
        if isinstance(file, dict):
            path = folder / "file.json"
            path.write_text(json.dumps(file))
            file = path
        analyzed = ask("analyze", file, "--json", *options)
        exported = ask("export", "cpp", file, *options)
        if analyzed.returncode == 3:
            # What is refused by one is refused by the other, in the same words.
            refused += 1
            if "--all" not in sys.argv or exported.returncode != 3 or exported.stderr != analyzed.stderr:
                complain(name, f"analyze refuses it: {analyzed.stderr}, and export says: {exported.stderr}")
            continue
        if exported.returncode != 0:
            complain(name, f"is not exported: {exported.stderr}")
            continue
        unit.append((name, exported.stdout, (json.loads(analyzed.stdout), analyzed.returncode)))
        checked += 1
        if len(unit) == in_one_unit:
            check(unit, folder)
            unit = []
    if unit:
        check(unit, folder)
print(f"export cpp: {checked} programs compared with analyze, {refused} files refused by both, {failures} differences")
sys.exit(1 if failures or not checked else 0)
