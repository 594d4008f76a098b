#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Preprocesses what constant expressions, bare metal and nvcc see, and looks for libraries that must not be there."""
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from header_lists import listed_headers

compiler, root = sys.argv[1], pathlib.Path(sys.argv[2])
freestanding = ("core", "model", "rules", "analysis", "allocation")
# What stands for these layers in a system, and for the others.
roles = {"model": "tasks", "rules": "rules", "analysis": "analysis", "allocation": "plans", "host": "host",
         "simulation": "simulation", "runtime": "run", "cuda": "cuda"}


def headers_of(*layers):
    """Of layers, and of what stands for them in systems."""
    return [f"takt/{p.relative_to(root / 'include/takt')}" for layer in layers
            for folder in [layer, *(["systems/*/" + roles[layer]] if layer in roles else [])]
            for place in sorted((root / "include/takt").glob(folder)) for p in sorted(place.rglob("*.hpp"))]


def headers_of_device_code():
    """Of the layer cuda, and what device code in the tree includes besides."""
    found = set(headers_of("cuda"))
    for folder in ("include", "tests/cuda", "examples/cuda", "benchmarks"):
        for path in (root / folder).rglob("*.cu*"):
            found |= set(re.findall(r"#\s*include\s*<(takt/[^>]+\.hpp)>", path.read_text()))
    return sorted(found)


def libraries_in(headers):
    """The libraries outside takt and the standard whose files a unit of these headers reads."""
    unit = "".join(f"#include <{h}>\n" for h in headers)
    seen = subprocess.run([compiler, "-std=c++20", "-x", "c++", "-E", f"-I{root / 'include'}", "-"], input=unit,
                          capture_output=True, text=True, check=True).stdout
    files = re.findall(r'^# \d+ "([^"]+)"', seen, re.MULTILINE)
    return {name for name in ("range/v3/", "boost/hana/") if any(name in f for f in files)}


def readers_of_ranges():
    """Headers that read range-v3, by themselves or through others."""
    text = {f"takt/{p.relative_to(root / 'include/takt')}": p.read_text() for p in (root / "include/takt").rglob("*.hpp")}
    reads = {name: set(re.findall(r"^#include <([^>]+)>", t, re.MULTILINE)) for name, t in text.items()}
    found = {name for name, of in reads.items() if any(i.startswith("range/") for i in of)}
    while more := {name for name, of in reads.items() if of & found} - found:
        found |= more
    return found


complaints = []


def expect(headers, banned, what):
    for library in sorted(libraries_in(headers) & set(banned)):
        complaints.append(f"{what} read {library}")


expect(["takt/takt.hpp", "takt/compare.hpp"], ["range/v3/"], "the headers of constant expressions")
expect(headers_of(*freestanding), ["range/v3/"], "the freestanding layers")
expect(headers_of_device_code(), ["range/v3/"], "headers that nvcc compiles")
expect(headers_of("host", "runtime", "simulation"), ["range/v3/"], "simulators and the executor")
expect(headers_of("core", "checking", "rules", "analysis"), ["range/v3/", "boost/hana/"],
       "layers that have no types at the door")

for header in sorted(readers_of_ranges() ^ listed_headers("takt_report", root / "include")):
    complaints.append(f"{header} reads range-v3, or it is in a list of takt_report: both or neither")

# The same look finds what is there.
if libraries_in(["takt/report/trace_queries.hpp"]) != {"range/v3/"}:
    complaints.append("range-v3 was not found in the queries of traces")
if "boost/hana/" not in libraries_in(["takt/model/platform.hpp"]):
    complaints.append("Hana was not found at the door")
if len(headers_of(*freestanding)) < 300 or len(headers_of_device_code()) < 20:
    complaints.append("too few headers were found")

print("\n".join(complaints) or "nothing that must not be there")
sys.exit(bool(complaints))
