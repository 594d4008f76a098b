#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unique_names_test.py PROGRAM: no two test cases of the program have one name, so that -tc=NAME runs one."""
import collections
import subprocess
import sys

listed = subprocess.run([sys.argv[1], "--list-test-cases", "--no-skip"], check=True, capture_output=True, text=True)
names = [line for line in listed.stdout.splitlines() if not line.startswith(("[doctest]", "==="))]
twice = [name for name, count in collections.Counter(names).items() if count > 1]
for name in twice:
    print(f"several test cases have the name: {name}")
sys.exit(bool(twice) or not names)
