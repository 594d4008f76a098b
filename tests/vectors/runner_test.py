#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the vector runner can fail: a changed value, an unknown word, unread input, a task too many must show."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

runner, folder = sys.argv[1:]
suites = {path.stem: json.loads(path.read_text())["cases"]
          for path in sorted(pathlib.Path(folder).glob("*.json")) if path.stem != "not-compared"}
wrong = []


def run(text: str, *options: str) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place) / "vectors.json"
        file.write_text(text)
        done = subprocess.run([runner, *options, str(file)], capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr


def check(name: str, result: tuple[int, str], code: int, text: str):
    if result[0] != code or text not in result[1]:
        wrong.append(f"{name}: exit {result[0]}, {result[1]!r}")


def check_each(suite: str, cases: list[tuple[dict, str]]):
    """Each case must fail, with its text in the line about it."""
    for number, (case, _) in enumerate(cases):
        case["id"] = f"{case['kind']}-{number}"
    _, output = run(json.dumps({"suite": suite, "cases": [case for case, _ in cases]}))
    lines = {line.split(": ")[0]: line for line in output.splitlines()}
    for case, text in cases:
        line = lines.get(f"{suite} {case['id']}", "passed")
        if text not in line:
            wrong.append(f"{suite} {case['id']}: {text!r} is not in {line[:300]!r}")


def check_answers(suite: str, kind: str, given: dict, expected: dict):
    cases = [{"id": "by hand", "kind": kind, "input": given, "expected": expected}]
    check(f"{suite} {kind} by hand", run(json.dumps({"suite": suite, "cases": cases})), 0, "1 passed, 0 failed")


def first_of(suite: str, kind: str, has: tuple = ()) -> dict:
    return copy.deepcopy(next(case for case in suites[suite]
                              if case["kind"] == kind and all(reach(case["input"], path) is not None for path in has)))


def reach(value, path: str):
    """The value at a path of keys and positions, or None."""
    for key in path.split("/"):
        if isinstance(value, list) and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return None
    return value


def put(value, path: str, new):
    *above, last = path.split("/")
    for key in above:
        value = value[int(key) if isinstance(value, list) else key]
    value[int(last) if isinstance(value, list) else last] = new


# What is compared, and the file.

rtgpu = {"suite": "rtgpu", "cases": suites["rtgpu"][:4]}


def changed(change) -> tuple[int, str]:
    other = copy.deepcopy(rtgpu)
    change(other["cases"][1])
    return run(json.dumps(other))


def flipped(case):
    case["expected"]["improved"]["schedulable"] = not case["expected"]["improved"]["schedulable"]


whole = json.dumps(rtgpu)
check("as recorded", run(whole), 0, "4 passed, 0 failed")
check("a bound off", changed(lambda case: put(case, "expected/rtgpu/tasks/1/R", "100001/7")), 1,
      "/rtgpu/tasks/1/R: expected")
check("a verdict off", changed(flipped), 1, "/improved/schedulable: expected")
check("a list too short", changed(lambda case: case["expected"]["priority_order"].pop()), 1,
      "/priority_order: expected")
check("an unknown kind", changed(lambda case: put(case, "kind", "astrology")), 1, "unknown kind astrology")
check("a key that is not compared", changed(lambda case: put(case, "expected/stgm_grid", [7])), 0,
      "4 passed, 0 failed")
kind = rtgpu["cases"][0]["kind"]
check("one kind of several", run(whole, "--kind", kind), 0,
      f'{sum(case["kind"] == kind for case in rtgpu["cases"])} passed, 0 failed')
check("a kind that no case has", run(whole, "--kind", "astrology"), 2, "no case of kind astrology")
check("a broken file", run(whole[:100]), 2, "parse error")
check("a member of the file", run(json.dumps({**rtgpu, "note": "x"})), 2, "/note is not used")
check("a member of a case", changed(lambda case: put(case, "tolerance", 1)), 1, "/tolerance is not used")
check("a member twice", run(whole.replace('"platform"', '"rounding": "exact", "platform"', 1)), 2,
      'two members "rounding"')
check("a difference and what may have made it",
      changed(lambda case: (flipped(case), put(case, "input/tasks/0/jitter", 3))), 1,
      "got " + json.dumps(rtgpu["cases"][1]["expected"]["improved"]["schedulable"]) +
      "; /input/tasks/0/jitter is not used")

# Input that nothing reads: one more member of each object of one case per kind, but of objects whose keys are names.

named = {"resources", "res", "sources", "exec", "access", "curves", "jobs", "tree", "base", "p2p_cost"}


def objects(value, path: str, above: str = ""):
    if isinstance(value, dict):
        if above not in named:
            yield path
        for key, below in value.items():
            if above != "curves":
                yield from objects(below, f"{path}/{key}", key)
    if isinstance(value, list):
        for position, below in enumerate(value[:1]):
            yield from objects(below, f"{path}/{position}")


for suite, cases in suites.items():
    changes = []
    for kind in sorted({case["kind"] for case in cases}):
        case = first_of(suite, kind)
        for path in objects(case["input"], "input"):
            other = copy.deepcopy(case)
            put(other, path + "/surprise", 1)
            changes.append((other, f"/{path}/surprise is not used"))
        for empty in ([], {}, None, [{"x": 1}]):
            other = copy.deepcopy(case)
            put(other, "input/surprise", empty)
            changes.append((other, "/input/surprise is not used"))
    check_each(suite, changes)


def replaced(suite: str, kind: str, path: str, new, text: str, has: tuple = ()) -> tuple[dict, str]:
    case = first_of(suite, kind, has)
    put(case["input"], path, new)
    return case, text


# Words that no format knows, and values that a reader must not bend.

strange = '"astrology" is not one of'
words = {
    "accelerator_platform": [("uni", "prio"), ("s3", "tasks/0/type"), ("alloc", "alloc/heuristic"),
                             ("alloc", "alloc/sort"), ("alloc", "alloc/admission")],
    "gpusync_analysis": [("analysis", "platform/migration"), ("analysis", "platform/allocator"),
                         ("analysis", "platform/engine_lock"), ("analysis", "options/variant"),
                         ("analysis", "options/sched"), ("analysis", "options/mode"),
                         ("analysis", "options/ce_analysis"), ("analysis", "options/nu"), ("cva", "cva/sched")],
    "gpusync_design": [("sim_edf", "policy"), ("predictor", "ops/0/0"), ("h1h2", "state/layout"),
                       ("h3", "state/layout"), ("hw_fifo", "mode"), ("copy", "order"),
                       ("lock_sim", "cfg/resources/r/proto"), ("lock_sim", "cfg/resources/r/variant"),
                       ("lock_sim", "cfg/resources/r/progress"), ("lock_sim", "cfg/jobs/0/ops/0/0"),
                       ("gpusync_run", "cfg/layout"), ("gpusync_run", "cfg/order"), ("gpusync_run", "cfg/migration"),
                       ("gpusync_run", "cfg/tasks/0/ops/0/0"), ("pipeline", "protocol")],
    "openvx": [("cpu", "sched"), ("fine", "sched"), ("fine", "gpu_bound"), ("fine", "dags/0/nodes/0/kind"),
               ("coarse", "coarse_gpu"), ("coarse", "seq_bound"), ("mono", "coarse_gpu"), ("mono", "seq_bound"),
               ("mono", "dags/0/nodes/0/segs/0/kind"), ("gpu_sim", "policy"), ("dag_sim", "sched"),
               ("dag_sim", "gpu_bound")],
    "rtgpu": [("analysis", "copy_model"), ("analysis", "rounding"), ("analysis", "platform/sharing")],
    "wamp2s": [("schedule", "policy/preset"), ("schedule", "policy/elapsed"), ("schedule", "policy/on_fail"),
               ("schedule", "policy/load"), ("schedule", "policy/leftover"), ("simulate", "policy/preset"),
               ("simulate", "on_miss"), ("baseline", "on_miss"), ("baseline", "baseline"), ("remaining", "elapsed")],
}
others = {("gpusync_design", "protocol"): "is no protocol", ("wamp2s", "baseline"): "is no baseline"}
for suite, members in words.items():
    check_each(suite, [replaced(suite, kind, path, "astrology", others.get((suite, path), strange))
                       for kind, path in members])
mutex = first_of("gpusync_design", "lock_sim", ("cfg/resources/ci0/order",))
put(mutex["input"], "cfg/resources/ci0/order", "astrology")
check_each("gpusync_design", [
    (mutex, strange),
    replaced("gpusync_design", "chunks", "kind", "copy", "is not the kind of the case"),
    replaced("gpusync_design", "bounds", "m", 1.5, "/input/m 1.5 is no exact number"),
    replaced("gpusync_design", "bounds", "m", "3/2", "is no whole number"),
    replaced("gpusync_design", "bounds", "m", "010", "is no exact number"),
    replaced("gpusync_design", "tests", "m", 2**32 + 1, "is out of range"),
    replaced("gpusync_design", "copy", "fusion", 1, "is neither true nor false"),
    replaced("gpusync_design", "ck_total", "accessed", ["astrology"], "is no resource"),
    replaced("gpusync_design", "h1h2", "state/g", 0, "has no tokens"),
    replaced("gpusync_design", "h1h2", "state/users", [1] * 9, "/input/state/users does not have"),
    replaced("gpusync_design", "gpusync_run", "cfg/dist/0/1", 9, "does not fit"),
    replaced("gpusync_design", "gpusync_run", "cfg/dist/0/1", 3, "is a distance without a cost in p2p_cost"),
])
check_each("openvx", [
    replaced("openvx", "cpu", "op", "gpu", "is not the kind of the case"),
    replaced("openvx", "gpu", "tasks/0/C", 10**9, "is not L times H", ("tasks/0/L",)),
    replaced("openvx", "fine", "dags/0/cluster", 9, "is on no cluster"),
    replaced("openvx", "coarse", "dags/0/nodes/0/segs/0/launch", 1, "/input/dags/0/nodes/0/segs/0/launch is not used"),
])
check_each("rtgpu", [
    replaced("rtgpu", "analysis", "tasks/0/cpu/0", [1, 2, 3], "/input/tasks/0/cpu/0/2 is not used"),
    replaced("rtgpu", "analysis", "allocation", [1] * 50, "does not have a share for each task"),
])
check_each("wamp2s", [
    replaced("wamp2s", "schedule", "apps/0/M", [5] * 101, "is not a list of 100"),
    replaced("wamp2s", "schedule", "active/0/delta", 101, "is no share"),
    replaced("wamp2s", "schedule", "active/0/app", 40, "is no application"),
    replaced("wamp2s", "static", "S/0/0", 5, "is a slow-down of an application by itself"),
    replaced("wamp2s", "static", "apps/0/pred_err_ppm", -1000000, "is out of range"),
    replaced("wamp2s", "static", "margin_ppm", -1, "is out of range"),
    replaced("wamp2s", "baseline", "static_delta", [5] * 40, "is not used"),
    replaced("wamp2s", "sofnn_forward", "n", 1, "does not have n numbers"),
])
check_each("accelerator_platform", [
    replaced("accelerator_platform", "s3", "tasks/0/core", 60, "names no core", ("tasks/0/core",)),
    replaced("accelerator_platform", "alloc", "tasks/0/core", 0, "/input/tasks/0/core is not used"),
])

# More than a table of the runner holds: an answer for all of it, or none.


def crowded(suite: str, kind: str, path: str, count: int) -> tuple[dict, str]:
    case = first_of(suite, kind, (path + "/0",))
    many = [copy.deepcopy(reach(case["input"], path)[0]) for _ in range(count)]
    for number, one in enumerate(many):
        if isinstance(one, dict):
            keys = ("id", "name", "prio") if suite == "openvx" else ("id", "name", "prio", "P")
            one.update({key: number if isinstance(one[key], int) else f"x{number}" for key in keys if key in one})
    put(case["input"], path, many)
    return case, f"/input/{path} does not fit: this runner has room for"


check_each("accelerator_platform", [crowded("accelerator_platform", "uni", "tasks", 100)])
check_each("gpusync_analysis", [
    crowded("gpusync_analysis", "analysis", "tasks", 100), crowded("gpusync_analysis", "cva", "cva/tasks", 200),
    crowded("gpusync_analysis", "analysis", "tasks/0/kernels", 40),
    crowded("gpusync_analysis", "feedback", "feedback/nodes", 200)])
check_each("gpusync_design", [
    crowded("gpusync_design", "tests", "tasks", 200), crowded("gpusync_design", "pipeline", "tasks", 200),
    crowded("gpusync_design", "pgm", "graph/nodes", 200), crowded("gpusync_design", "lock_sim", "cfg/jobs", 300),
    crowded("gpusync_design", "gpusync_run", "cfg/tasks", 100)])
check_each("openvx", [
    crowded("openvx", "gpu", "tasks", 200), crowded("openvx", "cpu", "tasks", 200),
    crowded("openvx", "fine", "dags", 40), crowded("openvx", "fine", "dags/0/nodes", 300),
    crowded("openvx", "fine", "clusters", 40), crowded("openvx", "dag_sim", "clusters", 40),
    crowded("openvx", "mono", "dags/0/nodes", 300)])
check_each("rtgpu", [crowded("rtgpu", "analysis", "tasks", 100)])
check_each("wamp2s", [crowded("wamp2s", "static", "apps", 100), crowded("wamp2s", "sofnn_forward", "m", 600)])

# 33 equal tasks of one processor have their jobs wait for one another: 33 C.
check_answers("openvx", "cpu", {"M": 1, "sched": "GEDF", "tasks": [{"C": 2, "T": 100}] * 33},
              {"U": "33/50", "sequential": ["66"] * 33, "npc": ["66"] * 33})
# 33 kernels of one block that fills the GPU, of which each waits for all others: 33 L.
check_answers("openvx", "gpu", {"g": 1, "m": 64, "tasks": [{"L": 2, "T": 100, "B": 1, "H": 64}] * 33},
              {"U": "1056/25", "outstanding": ["66"] * 33})

# Without bounds there is nothing to simulate, but the analysis says why.
unbounded = copy.deepcopy(next(case for case in suites["openvx"]
                               if case["kind"] == "fine" and not case["expected"]["schedulable"]))
check_answers("openvx", "dag_sim",
              {**unbounded["input"], "op": "dag_sim", "releases": [[0, 10]] * len(unbounded["input"]["dags"])},
              {"analysis": unbounded["expected"], "sim": None})

# The bias of predictors: 10000 / share ticks, which predictors take to be 1.01, 1 and 0.5 times as long.

apps = [{"C100": 100, "D": 400, "P": 3, "pred_err_ppm": 10000}, {"C100": 100, "D": 400, "P": 2},
        {"C100": 100, "D": 400, "P": 1, "pred_err_ppm": -500000}]
# ceil(1.01 x 385) <= 400 < 1.01 x 400; 400 <= 400; 770 / 2 <= 400 < 834 / 2.
check_answers("wamp2s", "static", {"apps": apps},
              {"delta_star": [26, 25, 13], "sum_delta_star": 64, "sufficient": True})
# ceil(2.02 x 197) <= 400 < 2.02 x 200; 2 x 200 <= 400; 400 <= 400.
check_answers("wamp2s", "static", {"apps": apps, "margin_ppm": 1000000},
              {"delta_star": [51, 50, 25], "sum_delta_star": 126, "sufficient": False})
# An application's own bias goes before that of all.
check_answers("wamp2s", "static", {"apps": apps, "pred_err_ppm": 10000},
              {"delta_star": [26, 26, 13], "sum_delta_star": 65, "sufficient": True})
# From 25 per cent and 400 ticks each; 36 are left over for priorities 3, 2 and 1.
check_answers("wamp2s", "schedule",
              {"apps": apps, "now": 0, "active": [{"app": i, "rel": 0} for i in range(3)]},
              {"delta": [44, 37, 19], "schedulable": True,
               "diag": [{"app": 0, "rem": 400, "need": 26, "bound": {"num": "40000", "den": "101"}, "C_pred": 404},
                        {"app": 1, "rem": 400, "need": 25, "bound": {"num": "400", "den": "1"}, "C_pred": 400},
                        {"app": 2, "rem": 400, "need": 13, "bound": {"num": "800", "den": "1"}, "C_pred": 200}]})
# The last one runs for 10000 / 19 ticks in truth, and so it misses.
check_answers("wamp2s", "simulate", {"apps": apps, "horizon": 400, "policy": {"wdc": True}},
              {"ops": [{"t": 0, "ok": True, "delta": [44, 37, 19], "cause": "R", "need": {"0": 26, "1": 25, "2": 13}}],
               "jobs": [{"app": 0, "rel": 0, "finish": 228, "missed": False},
                        {"app": 1, "rel": 0, "finish": 271, "missed": False},
                        {"app": 2, "rel": 0, "finish": None, "missed": True}]})
check_answers("wamp2s", "baseline", {"apps": apps, "horizon": 400, "baseline": "static"},
              {"jobs": [{"app": 0, "rel": 0, "finish": 385, "missed": False},
                        {"app": 1, "rel": 0, "finish": 400, "missed": False},
                        {"app": 2, "rel": 0, "finish": None, "missed": True}]})
check_answers("wamp2s", "rta_fp", {"apps": apps}, {"R": [100, 200, 300]})

print("\n".join(wrong))
sys.exit(1 if wrong else 0)
