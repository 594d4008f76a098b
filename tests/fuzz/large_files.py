#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that once cost more than they are, as seeds of the fuzz targets: `large_files.py reader|importers DIRECTORY`."""
import json
import pathlib
import sys


def long_key(bytes_of_key, values):
    return '{"' + "k" * bytes_of_key + '":[' + ",".join(["0"] * values) + "]}"


def many_keys(keys):
    return "{" + ",".join(f'"{k}":0' for k in range(keys)) + "}"


def many_tasks(tasks):
    kernel = {"work": "1ms", "wcet": "1ms", "blocks": 4, "threads_per_block": 256, "length": "1ms"}
    gpu = {"sms": 64, "threads_per_sm": 2048, "sharing": "whole"}
    return json.dumps({
        "format": "takt/1", "platform": {"cpus": {"count": 4, "policy": "edf"}, "gpus": [gpu, gpu]},
        "tasks": [{"name": f"t{i}", "period": f"{i + 1}0ms", "segments": [{"cpu": "1us"}, {"kernel": kernel}]}
                  for i in range(tasks)]})


def far_periods(seconds):
    tasks = [{"name": "fast", "period": "100us", "segments": [{"cpu": "1us"}]}]
    tasks += [{"name": f"slow{i}", "period": f"{seconds + i}s", "segments": [{"cpu": "1s"}]} for i in range(3)]
    return json.dumps({"format": "takt/1", "platform": {"cpus": {"count": 1}}, "tasks": tasks})


def model(inner):
    return f'<am:Amalthea xmlns:am="http://app4mc.eclipse.org/amalthea/3.0.0">{inner}</am:Amalthea>'


FILES = {
    "reader": {"key": long_key(1_000_000, 3_000), "short-keys": long_key(300, 190_000), "keys": many_keys(200_000),
               "tasks": many_tasks(64), "more-tasks": many_tasks(1_000), "periods": far_periods(86_400),
               "deep": "[" * 2_000_000, "number": '{"a":' + "9" * 4_000_000 + "}"},
    "importers": {"attributes": model("<swModel " + " ".join(f'a{i}="1"' for i in range(100_000)) + "/>"),
                  "tasks": model("<swModel>" + '<tasks name="t"/>' * 100_000 + "</swModel>"),
                  "deep": model("<a>" * 200_000)},
}

folder = pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for name, text in FILES[sys.argv[1]].items():
    (folder / name).write_text(text)
