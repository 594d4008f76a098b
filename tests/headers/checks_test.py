#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Preconditions at run time: `checks_test.py COMPILER ROOT`. Each way of checking does what it says, a handler of the
program is called, and units that check different things do not link."""
import pathlib
import signal
import subprocess
import sys
import tempfile

compiler, root = sys.argv[1], pathlib.Path(sys.argv[2])
source = root / "tests/headers/checks.cpp"
complaints = []


def compiled(folder, part, level):
    out = folder / f"{part}{level}.o"
    subprocess.run([compiler, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{root / 'include'}", "-c", source,
                    f"-DPART_{part}", f"-DTAKT_PRECONDITIONS={level}", "-o", out], check=True)
    return out


def linked(folder, *objects):
    program = folder / "program"
    done = subprocess.run([compiler, *objects, "-o", program], capture_output=True, text=True, errors="replace")
    return program if done.returncode == 0 else None


def expect(what, found, wanted):
    if found != wanted:
        complaints.append(f"{what}: {found}, expected {wanted}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    mains = [compiled(folder, "MAIN", level) for level in range(3)]
    sums = [compiled(folder, "SUM", level) for level in range(3)]
    for one in range(3):
        for other in range(3):
            program = linked(folder, mains[one], sums[other])
            expect(f"main with {one}, another unit with {other}", program is not None, one == other)
            if program is None or one != other:
                continue
            # Nothing that is undefined runs where nothing is checked: a full vector stays as it is.
            broken = {"i2": one >= 1, "f": one >= 1, "e": one >= 1, "d3": one >= 2}
            for fault, found in {"": False, "i0": False, "d1": False, **broken}.items():
                if one == 0 and fault in ("i2", "e"):
                    continue
                done = subprocess.run([program, fault], capture_output=True, text=True)
                wanted = -signal.SIGABRT if found else 3 if fault == "d3" else 1
                expect(f"{fault or 'no fault'} with {one}", done.returncode, wanted)
                expect(f"a line of stderr of {fault or 'no fault'} with {one}", "takt: " in done.stderr, found)
    program = linked(folder, mains[1], sums[1], compiled(folder, "HANDLER", 1))
    expect("a handler", subprocess.run([program, "i2"], capture_output=True).returncode, 7)

print("\n".join(complaints))
sys.exit(1 if complaints else 0)
