#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deletes each published system, and all of them, in a copy of the tree: deletion_test.py COMPILER ROOT FOLDER [FLAG...].

What stays includes nothing that is gone, for each system. Without any, all headers of the kernel and the lists compile
together, and so do those files of the program that ask lists of systems.
"""
import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys

compiler, root, folder, *flags = sys.argv[1:]
root, folder = pathlib.Path(root).resolve(), pathlib.Path(folder).resolve()
loader = importlib.machinery.SourceFileLoader("without", str(root / "scripts/without"))
without = importlib.util.module_from_spec(importlib.util.spec_from_loader("without", loader))
loader.exec_module(without)

INCLUDE = re.compile(r"^\s*#\s*include\s*<(takt/[^>]+\.(?:hpp|cuh))>", re.MULTILINE)
# With Boost.Hana and the standard library only, so that they compile together everywhere.
KERNEL = ("core", "model", "rules", "analysis", "allocation", "generation", "checking", "host", "simulation", "report",
          "study", "runtime", "systems")
ASK_LISTS = ("generators/generators.cpp", "host/task_set_run.cpp", "policies/judge_nonpreemptive.cpp",
             "policies/judged.cpp")
complaints = []


def check_graph(gone):
    names, texts = without.tree_without(root, gone)
    there = set(names)
    for name, text in texts.items():
        for header in INCLUDE.findall(text):
            if f"include/{header}" not in there:
                complaints.append(f"without {', '.join(gone)}: {name} includes {header}")
    for name in names:
        if name.startswith("include/") and name.endswith("CMakeLists.txt"):
            for header in re.findall(r"^\s*([\w/]+\.hpp)", texts.get(name, (root / name).read_text()), re.MULTILINE):
                if not (pathlib.PurePosixPath(name).parent / header).as_posix() in there:
                    complaints.append(f"without {', '.join(gone)}: {name} lists {header}")


def compile_alone(file):
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-I", str(folder / "include"),
                           *flags, str(file)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        first = [line for line in done.stderr.splitlines() if "error" in line][:3]
        complaints.append("\n".join([f"without any system {file.name} does not compile:", *first]))


def check_compilation(gone):
    shutil.rmtree(folder, ignore_errors=True)
    without.copy_without(root, gone, folder)
    headers = [p.relative_to(folder / "include").as_posix() for room in KERNEL
               for p in sorted((folder / "include/takt" / room).rglob("*.hpp"))]
    together = folder / "together.cpp"
    together.write_text("".join(f"#include <{h}>\n" for h in headers) + "auto main() -> int {}\n")
    compile_alone(together)
    for source in ASK_LISTS:
        compile_alone(folder / "program" / source)


systems = without.all_systems(root)
for system in systems:
    check_graph([system])
check_graph(systems)
if not complaints:
    check_compilation(systems)
print("\n".join(complaints))
sys.exit(bool(complaints))
