#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header compiles by itself: `alone_test.py PART/PARTS COMPILER ROOT FLAG...`, where a part is one of so many.

One call of the compiler does for a chain of headers, each of which includes the one before: where the next one begins,
nothing has been read that it would not read itself."""
import pathlib
import re
import subprocess
import sys

part, compiler, root, *flags = sys.argv[1:]
root = pathlib.Path(root) / "include"
part, parts = map(int, part.split("/"))
command = [compiler, "-std=c++20", "-x", "c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{root}", *flags, "-"]


def always_included(header):
    """The headers of takt that a header includes under no condition."""
    depth, found = 0, []
    for line in (root / header).read_text().splitlines():
        depth += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif", line))
        name = re.match(r"\s*#\s*include\s*[<\"](takt/.+?)[>\"]", line)
        if name and depth == 0:
            found.append(name[1])
    return found


def closures(includes):
    """What each header includes in the end."""
    done, open_headers = {}, []

    def visit(header):
        if header in done:
            return done[header]
        if header in open_headers:
            sys.exit(f"{header} includes itself, by way of: {' '.join(open_headers[open_headers.index(header):])}")
        open_headers.append(header)
        found = set()
        for name in includes.get(header, []):
            found |= {name} | visit(name)
        open_headers.pop()
        done[header] = found
        return found

    for header in includes:
        visit(header)
    return done


def chains(reached):
    """As few chains as there can be: a matching of each header with one that it includes (Dilworth, 1950)."""
    above, below = {}, {}

    def match(header, seen):
        for lower in sorted(reached[header], key=lambda name: (-len(reached[name]), name)):
            if lower in seen:
                continue
            seen.add(lower)
            if lower not in above or match(above[lower], seen):
                above[lower], below[header] = header, lower
                return True
        return False

    for header in sorted(reached, key=lambda name: (-len(reached[name]), name)):
        match(header, set())
    for top in sorted(reached):
        if top not in above:
            chain = [top]
            while chain[-1] in below:
                chain.append(below[chain[-1]])
            yield chain[::-1]


def complaint(headers):
    text = "".join(f"#include <{header}>\n" for header in headers)
    done = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace")
    return "" if done.returncode == 0 else f"{headers[-1]}:\n{done.stderr}"


def complaints_of(chain):
    if not complaint(chain):
        return []
    alone = [c for c in (complaint([header]) for header in chain) if c]
    return alone or [complaint(chain)]


sys.setrecursionlimit(10_000)
includes = {str(path.relative_to(root)): [] for path in sorted(root.rglob("*.hpp"))}
for header in includes:
    includes[header] = always_included(header)
units = list(chains(closures(includes)))[part - 1 :: parts]
complaints = [c for unit in units for c in complaints_of(unit)]
print("\n".join(complaints[:10]))
print(f"{sum(map(len, units))} of {len(includes)} headers in {len(units)} chains, "
      f"{len(complaints)} do not compile by themselves")
sys.exit(1 if complaints or not units else 0)
