#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the vector runner can fail: a changed value, a lost verdict, an unknown kind and a broken file must show."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

runner, vectors = sys.argv[1:]
suite = json.loads(pathlib.Path(vectors).read_text())
suite["cases"] = suite["cases"][:4]


def run(text: str, *options: str) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "vectors.json"
        file.write_text(text)
        done = subprocess.run([runner, *options, str(file)], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr


def changed(change) -> tuple[int, str]:
    other = copy.deepcopy(suite)
    change(other["cases"][1])
    return run(json.dumps(other))


def plus_one(case):
    case["expected"]["rtgpu"]["tasks"][1]["R"] = "100001/7"


def flipped(case):
    case["expected"]["improved"]["schedulable"] = not case["expected"]["improved"]["schedulable"]


def shorter(case):
    case["expected"]["priority_order"].pop()


def unknown(case):
    case["kind"] = "astrology"


def uncompared(case):
    case["expected"]["stgm_grid"] = [7]


checks = [
    ("as recorded", run(json.dumps(suite)), 0, "4 passed, 0 failed"),
    ("a bound off", changed(plus_one), 1, "/rtgpu/tasks/1/R: expected"),
    ("a verdict off", changed(flipped), 1, "/improved/schedulable: expected"),
    ("a list too short", changed(shorter), 1, "/priority_order: expected"),
    ("an unknown kind", changed(unknown), 1, "unknown kind astrology"),
    ("a key that is not compared", changed(uncompared), 0, "4 passed, 0 failed"),
    ("one kind of several", run(json.dumps(suite), "--kind", suite["cases"][0]["kind"]), 0,
     f'{sum(case["kind"] == suite["cases"][0]["kind"] for case in suite["cases"])} passed, 0 failed'),
    ("a kind that no case has", run(json.dumps(suite), "--kind", "astrology"), 2, "no case of kind astrology"),
    ("a broken file", run(json.dumps(suite)[:100]), 2, "parse error"),
]
wrong = [f"{name}: exit {code}, {output!r}" for name, (code, output), wanted, text in checks
         if code != wanted or text not in output]
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
