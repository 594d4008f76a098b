#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a file does not compile, that the compiler says what the file expects, and that its corrected twin
(-DTAKT_FIXED) compiles, unless --no-twin leaves that to another compiler. Lines `// FLAGS: ...` are further arguments of
the compiler.

The expected text stands in the first lines of the file, `// EXPECT: regular expression`, one line per expression. Each
must appear within the first 12 lines of output, and no line up to the last of them may be longer than 299 characters,
the path of the checkout not counted.

--precompiled DIRECTORY reads headers from where --precompile left them, if the file begins with one of them and has no
flags of its own.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

MAX_LINES = 12
MAX_LENGTH = 299
CHECKOUT = f"{pathlib.Path(__file__).resolve().parents[2]}/"


def expectations(source: str) -> list[str]:
    return re.findall(r"^// EXPECT: (.+)$", source, re.MULTILINE)


def compile_file(command: list[str]) -> tuple[bool, list[str]]:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=300)
    return done.returncode == 0, (done.stderr + done.stdout).replace(CHECKOUT, "").splitlines()


def precompile(command: list[str], header: str, directory: pathlib.Path) -> bool:
    """Makes directory/HEADER.gch, which both compilers read. GCC looks for it where it finds the header: beside a link."""
    include = next(f[2:] for f in command if f.startswith("-I") and (pathlib.Path(f[2:]) / header).exists())
    link = directory / header
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(pathlib.Path(include).resolve() / header)
    done, output = compile_file([*command, "-w", "-x", "c++-header", str(link), "-o", f"{link}.gch"])
    if not done:
        print("\n".join(output[:40]))
    return done


def precompiled_flags(compiler: str, source: str, directory: pathlib.Path) -> list[str]:
    first = re.search(r"^#include [<\"](.+)[>\"]$", source, re.MULTILINE)
    made = directory / f"{first[1]}.gch" if first else directory
    if not made.is_file() or re.search(r"^// FLAGS:|^#(define|if)", source[: first.start()], re.MULTILINE):
        return []
    real = pathlib.Path(shutil.which(compiler) or compiler).resolve()
    return ["-include-pch", str(made)] if "clang" in real.name else [f"-I{directory}"]


def complaints(output: list[str], expected: list[str]) -> list[str]:
    found = []
    last = 0
    for pattern in expected:
        at = next((i for i, line in enumerate(output) if re.search(pattern, line)), None)
        if at is None:
            found.append(f"the output does not match /{pattern}/")
        elif at >= MAX_LINES:
            found.append(f"/{pattern}/ appears in line {at + 1} of the output; the budget is {MAX_LINES} lines")
        else:
            last = max(last, at)
    for number, line in enumerate(output[: last + 1], 1):
        if len(line) > MAX_LENGTH:
            found.append(f"line {number} of the output has {len(line)} characters; the budget is {MAX_LENGTH}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--flags", default="", help="semicolon-separated")
    parser.add_argument("--no-twin", action="store_true")
    parser.add_argument("--precompiled", type=pathlib.Path)
    parser.add_argument("--precompile", nargs="+", metavar="HEADER", help="for later calls, into --precompiled")
    parser.add_argument("file", type=pathlib.Path, nargs="?")
    options = parser.parse_args()
    flags = [f for f in options.flags.split(";") if f]
    if options.precompile:
        command = [options.compiler, "-std=c++20", *flags]
        return 0 if all(precompile(command, h, options.precompiled) for h in options.precompile) else 1

    source = options.file.read_text()
    expected = expectations(source)
    if not expected:
        print(f"{options.file}: no line `// EXPECT: ...`")
        return 1
    if options.precompiled:
        flags = [*precompiled_flags(options.compiler, source, options.precompiled), *flags]
    flags += " ".join(re.findall(r"^// FLAGS: (.+)$", source, re.MULTILINE)).split()
    command = [options.compiler, "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", *flags, str(options.file)]
    compiled, output = compile_file(command)
    if compiled:
        found = ["it compiles"]
    else:
        found = complaints(output, expected)
    if not options.no_twin:
        fixed, fixed_output = compile_file([*command, "-DTAKT_FIXED"])
        if not fixed:
            found.append("the corrected twin does not compile")
            output = fixed_output
    for complaint in found:
        print(f"{options.file.name}: {complaint}")
    if found:
        print("\n".join(output[:40]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
