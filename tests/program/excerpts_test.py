#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does scripts/excerpts make blocks, and notice those that are not current? excerpts_test.py PROGRAM"""
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent.parent
program = sys.argv[1]
source = "examples/first_system/main.cpp"
failures = 0


def expect(what, holds):
    global failures
    if not holds:
        failures += 1
        print(f"excerpts: {what}: no")


def run(page, *options):
    return subprocess.run([root / "scripts/excerpts", *options, page], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as name:
    page = pathlib.Path(name) / "page.md"

    page.write_text(f"# T\n\n<!-- excerpt {source}:prove -->\n\n<!-- takt analyze examples/first_system/first.json -->\n")
    expect("a missing block is noticed", run(page, "--check").returncode == 1)
    expect("blocks are made", run(page, "--takt", program).returncode == 0)
    text = page.read_text()
    expect("a block is what stands in the file", "```cpp\nconstexpr auto verdict = takt::analyze(board, tasks, takt::rtgpu_methods);" in text)
    expect("marks are not part of a block", "end of excerpt" not in text)
    expect("a session has its command and its output", "$ takt analyze examples/first_system/first.json\nmy first system" in text)
    expect("blocks that were made are current", run(page, "--check", "--takt", program).returncode == 0)

    page.write_text(text.replace("takt::analyze(board", "takt::analyse(board"))
    expect("changed code is noticed", run(page, "--check").returncode == 1)
    page.write_text(text.replace("schedulable (rtgpu-best)", "schedulable (magic)"))
    expect("changed output is noticed", run(page, "--check", "--takt", program).returncode == 1)
    expect("output is left alone without the program", run(page, "--check").returncode == 0)

    for mark, words in [(f"excerpt {source}:nothing", "has 0 excerpts of the name nothing"), ("excerpt examples/nothing.cpp", "is no file"),
                        ("takt analyze examples/first_system/too_long.json", "ends with 1, not 0"),
                        ("takt analyze examples/first_system/first.json; sometimes", "neither 'exit N' nor 'varies'")]:
        page.write_text(f"<!-- {mark} -->\n")
        refused = run(page, "--takt", program)
        expect(f"'{mark}' is refused", refused.returncode == 1 and words in refused.stderr)

    page.write_text("<!-- excerpt examples/first_system/first.json as mine.json -->\n\n<!-- takt run mine.json --for 100ms; varies -->\n")
    run(page, "--takt", program)
    page.write_text(page.read_text().replace("run: no miss", "run: a miss"))
    expect("figures of a run may differ", run(page, "--check", "--takt", program).returncode == 0)
    page.write_text(page.read_text().replace("$ takt run mine.json --for 100ms", "$ takt run mine.json"))
    expect("the command of a run may not", run(page, "--check", "--takt", program).returncode == 1)

sys.exit(1 if failures else 0)
