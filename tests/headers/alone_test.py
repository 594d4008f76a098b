#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles every header by itself, as far as to its last line: `alone_test.py COMPILER ROOT FLAG...`."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

compiler, root, *flags = sys.argv[1], pathlib.Path(sys.argv[2]) / "include", *sys.argv[3:]
command = [compiler, "-std=c++20", "-x", "c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{root}", *flags, "-"]


def complaint(header):
    done = subprocess.run(command, input=f"#include <{header}>\n", capture_output=True, text=True, errors="replace")
    return "" if done.returncode == 0 else f"{header}:\n{done.stderr}"


headers = sorted(str(p.relative_to(root)) for p in root.rglob("*.hpp"))
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    complaints = [c for c in pool.map(complaint, headers) if c]
print("\n".join(complaints[:10]))
print(f"{len(headers)} headers, {len(complaints)} do not compile by themselves")
sys.exit(1 if complaints or not headers else 0)
