#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""old_compilers_test.py COMPILER INCLUDE [CLANG_14]: a compiler that is too old ends with the sentence of core/compiler.hpp."""
import subprocess
import sys

compiler, include = sys.argv[1:3]
real = sys.argv[3:]
gcc, clang = "takt: this g++ is too old; g++ 12 or clang 16 is needed", "takt: this clang is too old; g++ 12 or clang 16 is needed"
is_clang = subprocess.run([compiler, "-dM", "-E", "-x", "c++", "/dev/null"], capture_output=True, text=True).stdout.count("__clang__") > 0


def said(command, umbrella):
    source = f"#include <takt/{umbrella}.hpp>\n"
    done = subprocess.run([*command, f"-I{include}", "-x", "c++", "-fsyntax-only", "-"], input=source, capture_output=True, text=True)
    return done.returncode, done.stderr


complaints = []
calls = [([compiler, "-std=c++17"], "takt: this is C++20; compile with -std=c++20")]
if is_clang:
    calls.append(([compiler, "-std=c++20", "-U__clang_major__", "-D__clang_major__=15"], clang))
else:
    calls.append(([compiler, "-std=c++20", "-U__GNUC__", "-D__GNUC__=11"], gcc))
    calls.append(([compiler, "-std=c++20", "-D__clang__=1", "-D__clang_major__=15"], clang))
if real and real[0]:
    calls.append(([real[0], "-std=c++20"], clang))
for command, sentence in calls:
    for umbrella in ("takt", "compare", "simulation", "runtime", "systems/rtgpu"):
        code, text = said(command, umbrella)
        if code == 0 or sentence not in text or "Stack dump" in text:
            complaints.append(f"{command} {umbrella}: ended with {code} and says {text[:500]}")
code, text = said([compiler, "-std=c++20"], "core/compiler")
if code != 0:
    complaints.append(f"{compiler} itself is refused: {text}")
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
