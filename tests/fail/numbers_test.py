#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every numbered message in the headers has an entry in docs/errors.md and a test here, and no entry is an orphan."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
# Only tables and boards that are filled at run time reach these.
RUN_TIME_ONLY = {"E04", "E05", "E34", "E77", "E115"}


def sentences(text):
    """Number and text of each message; a literal may be continued on the next line."""
    joined = re.sub(r'"\s*\n\s*"', "", text)
    return re.findall(r'"(takt: [^"]*?) See docs/errors\.md#(E\d{2,3})"', joined)


messages = [m for h in sorted((root / "include").rglob("*.hpp")) for m in sentences(h.read_text())]
numbers = {number for _, number in messages}
entries = re.findall(r"^## (E\d{2,3})$", (root / "docs/errors.md").read_text(), re.MULTILINE)
expected = [e for f in (root / "tests/fail").glob("*.cpp") for e in re.findall(r"^// EXPECT: (.+)$", f.read_text(), re.MULTILINE)]

complaints = [f"docs/errors.md: no entry {n}" for n in sorted(numbers - set(entries))]
complaints += [f"docs/errors.md: no message has the number {n}" for n in sorted(set(entries) - numbers)]
if entries != sorted(set(entries), key=lambda e: int(e[1:])):
    complaints.append("docs/errors.md: entries are doubled or out of order")
tested = {n for text, n in messages if any(re.search(e, text) for e in expected if "takt:" in e)}
complaints += [f"{n}: no test expects its message" for n in sorted(numbers - tested - RUN_TIME_ONLY)]
if len(messages) < 30:
    complaints.append(f"only {len(messages)} messages were found")
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
