#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schema_test.py PROGRAM SOURCE: holds the JSON Schema of takt/1 against the reader. Both accept what the project shows, what
the program writes and a list of good texts; both refuse a list of bad ones. Ends with 77 where there is no validator."""
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: there is no python3-jsonschema; scripts/setup --test installs it")
    sys.exit(1 if os.environ.get("CI") else 77)

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
schema = json.loads((root / "docs/schema/takt-1.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
complaints = []
folder = tempfile.TemporaryDirectory()
scratch = pathlib.Path(folder.name) / "file.json"


def takt(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300)


def read(text):
    """What the reader says of a text: nothing, or its line."""
    scratch.write_text(text)
    found = takt("explain", str(scratch))
    if found.returncode > 3 or found.returncode < 0:
        complaints.append(f"the program ended with {found.returncode}: {found.stderr}")
    return found.stderr.strip() if found.returncode == 3 else ""


def check(what, text, value, good):
    faults = [f"/{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(value)]
    line = read(text)
    if good and faults:
        complaints.append(f"{what}: refused by the schema: {faults}")
    if good and line:
        complaints.append(f"{what}: refused by the reader: {line}")
    if not good and not faults:
        complaints.append(f"{what}: accepted by the schema; the reader says: {line}")
    if not good and not line:
        complaints.append(f"{what}: accepted by the reader")


def without_comments(text):
    return re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda m: m[1] or "", text, flags=re.S)


# What the project shows and the program writes.
shown = 0
for file in sorted((root / "examples/data").glob("*.json")):
    check(file.name, file.read_text(), json.loads(file.read_text()), True)
    shown += 1
    best = pathlib.Path(folder.name) / "best.json"
    best.unlink(missing_ok=True)
    takt("compare", str(file), "--write", str(best))
    if best.exists():
        check(f"{file.name}, the best of compare", best.read_text(), json.loads(best.read_text()), True)
if shown < 17:
    complaints.append(f"only {shown} files in examples/data")
for file in sorted((root / "examples/data/waters2019").glob("*.json")):
    if file.name.startswith("open"):  # without cores, which the reader leaves to takt plan
        validator.validate(json.loads(file.read_text()))
    else:
        check(file.name, file.read_text(), json.loads(file.read_text()), True)
for page in sorted((root / "docs").rglob("*.md")):
    for mark, block in re.findall(r"^([^\n]*)\n```json\n(.*?)^```", page.read_text(), flags=re.S | re.M):
        if '"takt/1"' in block and "..." not in block:
            check(page.name, block, json.loads(without_comments(block)), "misspelt" not in mark)
for arguments in (["new"], ["new", "a \"name\" with \\ and \x1b"]):
    text = takt(*arguments).stdout
    check(str(arguments), text, json.loads(without_comments(text)), True)
for number, line in enumerate(takt("generate", "rtgpu", "--count", "5", "--copies", "one").stdout.splitlines()):
    check(f"generated set {number}", line, json.loads(line), True)

# One file that says much, and what may and may not be put into its places.
base = {
    "format": "takt/1", "name": "all", "notes": ["made up"],
    "platform": {
        "cpus": {"count": 2, "policy": "fixed-priority"},
        "copy_engines": {"count": 1},
        "gpus": [{"sms": 10, "virtual_per_sm": 2, "threads_per_sm": 2048, "sharing": "isolated", "contention": [],
                  "copy_model": {"setup": "10us", "bytes_per_us": 12000}}],
        "resources": [{"name": "npu"}]},
    "tasks": [
        {"name": "camera", "period": "33ms", "deadline": "30ms", "segments": [
            {"cpu": ["1ms", "2ms"]},
            {"copy": {"bytes": 1000}, "direction": "to-device"},
            {"kernel": {"work": ["8ms", "12ms"], "overhead": "20us", "interleave": "9/5"}},
            {"copy": "200us", "direction": "to-host"},
            {"cpu": "1ms"}]},
        {"name": "logger", "period": "66ms", "deadline": None, "segments": [{"cpu": 5000}]}]}
GONE = object()


def changed(*changes):
    value = copy.deepcopy(base)
    for place, new in changes:
        *steps, last = place
        at = value
        for step in steps:
            at = at[step]
        if new is GONE:
            del at[last]
        else:
            at[last] = new
    return value


cpus, gpu = ("platform", "cpus"), ("platform", "gpus", 0)
camera, logger = ("tasks", 0), ("tasks", 1)
first, kernel = camera + ("segments", 0), camera + ("segments", 2, "kernel")
graph = [(logger + ("segments",), GONE), (logger + ("nodes",), [{"name": "a", "cpu": "1ms"}, {"name": "b", "cpu": 4}])]
variants = [(logger + ("segments",), GONE),
            (logger + ("variants",), [{"name": "slow", "segments": [{"cpu": "2ms"}]}, {"name": "fast", "segments": [{"cpu": 9}]}])]
cores = [(cpus, {"cores": [{"name": "c0", "type": "big"}, {"name": "c1", "type": "little"}]}), (logger + ("core",), 1)]

good = [
    [], [(("$schema",), "takt-1.schema.json")], [(("notes",), GONE)], [(("name",), "cam\x1bera\nline")],
    [(cpus + ("policy",), "edf")], [(cpus + ("clusters",), 2)], [(camera + ("core",), 1)],
    [(camera + ("priority",), 4), (logger + ("priority",), 7)], [(camera + ("jitter",), "1.5us")],
    [(first, {"cpu": 1500000})], [(first, {"cpu": "0.5ms"})], [(kernel + ("interleave",), 2)], [(kernel + ("interleave",), 1.8)],
    [(kernel + ("wcet",), "8ms"), (kernel + ("preemption_cost",), 0)], [(kernel + ("blocks",), 24), (kernel + ("threads_per_block",), 512)],
    [(kernel + ("time_on",), ["9ms", ["4ms", "5ms"]])], [(kernel + ("wcet_by_share",), {"c100": "7ms", "fixed_permille": 200})],
    [(kernel + ("wcet_by_share",), [[100, "1ms"], [50, "3ms"]])], [(camera + ("segments", 2, "launch"), "5us")],
    graph, graph + [(logger + ("edges",), [["a", "b"]]), (logger + ("history",), [["b", "a", 1]])],
    graph + [(logger + ("edges",), [{"from": "a", "to": "b", "produce": 4, "consume": 4}])],
    graph + [(logger + ("nodes", 0), {"name": "a", "segments": [{"cpu": 1}, {"npu": 3}]})],
    variants + [(logger + ("variant",), "slow")], cores + [(logger + ("segments",), [{"cpu": {"little": "3ms"}}])],
    [(("chains",), [{"name": "see", "tasks": ["camera", "logger"], "reaction": "200ms"}])],
    [(("chains",), [{"name": "see", "tasks": ["camera", "logger"], "semantics": ["let", "implicit"], "age": 9}])],
    [(gpu + ("sharing",), "time-sliced"), (gpu + ("slice",), "2ms"), (gpu + ("context_switch",), 0)],
    [(gpu + ("copy_model",), {"to_device": {"bytes_per_us": 9}, "to_host": {"bytes_per_us": 8}, "chunk": 4096})],
    [(("plan",), {"cores": {"camera": 1}, "priorities": {"camera": 1, "logger": 0}, "sms": {"camera": 4}})], [(("plan",), {})],
    [(gpu + ("speed",), "3/2"), (gpu + ("memory",), 1 << 33), (gpu + ("warp_size",), 64)],
]
bad = [
    # keys
    [(("perod",), 3)], [(camera + ("perod",), "33ms")], [(kernel + ("sms",), 3)], [(gpu + ("blocks",), 3)],
    [(cpus + ("sms",), 3)], [(first + ("kernl",), {})], [(("platform", "memory"), 3)], [(("platform", "resources", 0, "core"), 3)],
    [(gpu + ("copy_model", "chunks"), 3)], [(("platform", "overheads"), {"shedule": 3})], [(kernel + ("wcet_by_share",), {"c10": 7})],
    # what is missing
    [(("format",), GONE)], [(("platform",), GONE)], [(("tasks",), GONE)], [(camera + ("name",), GONE)], [(camera + ("period",), GONE)],
    [(camera + ("segments",), GONE)], [(cpus + ("count",), GONE)], [(gpu + ("sms",), GONE)], [(kernel + ("blocks",), 24)],
    [(kernel + ("threads_per_block",), 24)], [(gpu + ("sharing",), "slots")], [(first, {})], [(first, {"section": True})],
    [(("chains",), [{"name": "see"}])], [(("chains",), [{"tasks": ["camera"]}])], [(("platform", "resources", 0), {})],
    graph + [(logger + ("nodes", 0), {"name": "a"})], graph + [(logger + ("nodes", 0), {"cpu": 1})],
    # words
    [(("format",), "takt/2")], [(cpus + ("policy",), "fifo")], [(gpu + ("sharing",), "isolatd")], [(gpu + ("sharing",), "g-edf")],
    [(camera + ("segments", 1, "direction"), "up")], [(("platform", "copy_engines", "policy"), "edf")],
    [(("chains",), [{"name": "see", "tasks": ["camera"], "semantics": "letter"}])], [(kernel + ("width",), "two-cores")],
    # kinds and ranges of values
    [(("name",), 3)], [(("notes",), "text")], [(("notes",), [])], [(("tasks",), [])], [(("tasks",), {})], [(camera + ("name",), "")],
    [(camera + ("name",), 7)], [(camera + ("period",), 0)], [(camera + ("period",), "0ms")], [(camera + ("deadline",), "-30ms")],
    [(camera + ("period",), True)], [(camera + ("period",), 1.5)], [(camera + ("period",), "33")], [(camera + ("period",), "33min")],
    [(camera + ("period",), "two")], [(camera + ("period",), "2.0000001ms")], [(camera + ("period",), 1 << 63)],
    [(camera + ("priority",), -1)], [(camera + ("memory",), -1)], [(camera + ("core",), -1)], [(cpus + ("count",), 0)],
    [(cpus + ("count",), 1025)], [(gpu + ("sms",), "10")], [(gpu + ("sms",), 0)], [(gpu + ("sms",), 4097)],
    [(gpu + ("speed",), 0)], [(gpu + ("contention",), [["camera", "logger"]])], [(gpu + ("copy_engines",), 3)],
    [(first, {"cpu": ["1ms"]})], [(first, {"cpu": ["1ms", "2ms", "3ms"]})], [(first, {"cpu": [-1, 2]})], [(first, {"cpu": {}})],
    [(kernel + ("interleave",), 0.5)], [(kernel + ("interleave",), "9/0")], [(kernel + ("interleave",), "nine")],
    [(kernel + ("wcet",), 0)], [(kernel + ("wcet",), ["1ms", "2ms"])], [(kernel + ("length",), ["1ms", "2ms"])],
    [(kernel + ("wcet_by_share",), [1, 2])], [(kernel + ("wcet_by_share",), [[50, "3ms"]])],
    [(kernel + ("time_on",), [])], [(camera + ("segments",), [])], [(camera + ("segments", 0, "section"), 1)],
    [(("platform", "resources", 0, "name"), "cpu")], [(gpu + ("copy_model",), {"setup": 3})], [(gpu + ("copy_model",), {"to_device": {"bytes_per_us": 9}})],
    [(("plan",), [])], [(("plan",), {"sm": {"camera": 4}})], [(("plan",), {"sms": 4})], [(("plan",), {"sms": {"camera": 0}})],
    [(("plan",), {"sms": {"camera": "4"}})], [(("plan",), {"cores": {"camera": -1}})], [(("plan",), {"gpu": {"camera": -1}})],
    [(("plan",), {"percents": {"camera": 101}})], [(("plan",), {"offsets": {"camera step 0": -1}})],
    # what does not go together
    [(camera + ("nodes",), [{"name": "a", "cpu": 1}])], [(camera + ("edges",), [])], [(camera + ("gpu",), {"kernels": [1]})],
    [(first, {"cpu": 1, "copy": 2})], [(first, {"cpu": 1, "launch": 2})], [(first, {"cpu": 1, "bytes": 2})],
    [(camera + ("core",), 0), (camera + ("cluster",), 0)], [(gpu + ("slots",), {"period": 9})], [(gpu + ("slice",), "1ms")],
    [(gpu + ("tokens_per_gpu",), 2)], [(gpu + ("order",), "strict")], [(gpu + ("rules",), "text")], [(gpu + ("policy",), "edf")],
    [(gpu + ("copy_model", "to_host"), {"bytes_per_us": 9})], [(gpu + ("dma",), {"bytes_per_us": 9})],
    [(kernel + ("core",), 1), (kernel + ("width",), "all-cores")],
    graph + [(logger + ("edges",), [["a"]])], graph + [(logger + ("history",), [["b", "a", 0]])],
    graph + [(logger + ("history",), [{"from": "b", "to": "a"}])], graph + [(logger + ("edges",), [{"from": "a", "to": "b", "lag": 1, "consume": 4}])],
    graph + [(logger + ("nodes", 0, "segments"), [{"cpu": 1}])], graph + [(logger + ("nodes", 0, "parallelism"), 0)],
    variants + [(logger + ("edges",), [])], variants + [(logger + ("variants", 0, "nodes"), [{"name": "a", "cpu": 1}])],
]
for changes in good:
    value = changed(*changes)
    check(f"good: {changes}", json.dumps(value), value, True)
for changes in bad:
    value = changed(*changes)
    check(f"bad: {changes}", json.dumps(value), value, False)

print("\n".join(complaints))
print(f"{shown} files, {len(good)} good and {len(bad)} bad texts: {len(complaints)} complaints")
sys.exit(1 if complaints else 0)
