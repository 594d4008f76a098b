#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants files that check.py must not accept, and one that it must."""
import pathlib
import subprocess
import sys
import tempfile

CASES = [
    ("accepted", "// EXPECT: no sense\n#ifndef TAKT_FIXED\nstatic_assert(false, \"no sense\");\n#endif\n", True, ""),
    ("compiles", "// EXPECT: anything\nint x;\n", False, "it compiles"),
    ("silent", "int x = \"\";\n", False, "no line"),
    ("other", "// EXPECT: no sense\n#ifndef TAKT_FIXED\nint x = y;\n#endif\n", False, "does not match"),
    ("twin of another compiler", "// EXPECT: no sense\nstatic_assert(false, \"no sense\");\n", True, "", "--no-twin"),
    ("broken twin", "// EXPECT: no sense\nstatic_assert(false, \"no sense\");\n", False, "twin"),
    ("late", "// EXPECT: no sense\n#ifndef TAKT_FIXED\n" + "static_assert(false, \"other\");\n" * 14 + "static_assert(false, \"no sense\");\n#endif\n", False, "budget"),
    ("wide", "// EXPECT: no sense\n#ifndef TAKT_FIXED\n#error " + "wide " * 80 + "no sense\n#endif\n", False, "characters"),
]


def main() -> int:
    check = pathlib.Path(__file__).with_name("check.py")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text, accepted, reason, *flags in CASES:
            file = pathlib.Path(folder) / "planted.cpp"
            file.write_text(text)
            done = subprocess.run([sys.executable, check, "--compiler", sys.argv[1], *flags, file], capture_output=True, text=True)
            if (done.returncode == 0) != accepted or reason not in done.stdout:
                print(f"{name}: returned {done.returncode}: {done.stdout}{done.stderr}")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
