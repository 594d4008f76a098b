#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each header stands in one list, that of its folder, and includes only headers of targets that its own target links:
`lists_test.py ROOT TARGETS`, where tests/headers/CMakeLists.txt writes the file TARGETS. `lists_test.py ROOT --write` puts
new headers into the first list of their folder, and takes those out that are no more."""
import collections
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from header_lists import LIST, SUFFIX, headers_in, lists_in

include = pathlib.Path(sys.argv[1]).resolve() / "include"
complaints = []


def corrected(text, headers):
    """The text of a CMakeLists.txt whose lists hold exactly these names."""
    lists = list(LIST.finditer(text))
    new = headers - {name for match in lists for name in match[3].split()}
    for match in reversed(lists):
        names = {name for name in match[3].split() if name in headers}
        if match is next(other for other in lists if other[2] == match[2]):
            names |= {name for name in new if name.endswith(SUFFIX[match[2]])}
        if names != set(match[3].split()):
            indent = "\n" + " " * (match.start() - text.rfind("\n", 0, match.start()) + 1)
            text = text[: match.start(3)].rstrip() + "".join(indent + name for name in sorted(names)) + text[match.end(3):]
    return text


def write_lists():
    for path in include.rglob("CMakeLists.txt"):
        text = path.read_text()
        path.write_text(corrected(text, {p.name for p in path.parent.iterdir() if p.suffix in SUFFIX.values()}))


def check_lists():
    """Who owns each header, as its list says."""
    owner = {}
    for target, files, names in lists_in(include):
        if not names or names != sorted(names):
            complaints.append(f"a list of {target} is empty, or not in alphabetical order: {names[:1]}")
        for name in names:
            if name in owner:
                complaints.append(f"{name} stands in two lists")
            if not name.endswith(SUFFIX[files]):
                complaints.append(f"{name} stands in a file set of {SUFFIX[files]} files")
            owner[name] = target
    on_disk = set(headers_in(include))
    for name in sorted(on_disk - owner.keys()):
        complaints.append(f"{name} stands in no list: add it to the CMakeLists.txt beside it, or run "
                          "tests/headers/lists_test.py . --write")
    for name in sorted(owner.keys() - on_disk):
        complaints.append(f"{name} stands in a list, and not beside it")
    return {name: target for name, target in owner.items() if name in on_disk}


def check_targets(owner):
    """What CMake has read of the lists; gives which targets each target reaches."""
    links, files = {}, {}
    for line in pathlib.Path(sys.argv[2]).read_text().splitlines():
        target, linked, listed = line.split("|")
        links[target] = set(linked.split(";"))
        files[target] = {str(pathlib.Path(f).relative_to(include)) for f in listed.split(";") if f}
    for target in sorted(links.keys() | set(owner.values())):
        listed = {name for name, of in owner.items() if of == target}
        for name in sorted(listed - files.get(target, set())):
            complaints.append(f"{name} stands in a list of {target} that CMake has not read: run cmake again, "
                              "or add the folder with add_subdirectory")
    reached = {target: {target} for target in links}
    for _ in links:
        for target in links:
            reached[target] |= {far for near in links[target] & links.keys() for far in reached[near]}
    return reached


def system_of(name):
    found = re.match(r"takt/systems/(\w+)/", name)
    return found[1] if found else None


def check_includes(owner, reached):
    for name, target in sorted(owner.items()):
        for other in re.findall(r"^\s*#\s*include <(takt/[^>]+)>", (include / name).read_text(), re.MULTILINE):
            # Doors and lists of all systems; tests/structure/layers_test.cpp says which headers may include systems.
            if other.startswith("takt/systems/") and not system_of(name):
                continue
            if other in owner and owner[other] not in reached[target]:
                complaints.append(f"{name} of {target} includes {other} of {owner[other]}, which {target} does not link")


def check_freestanding(owner):
    """takt::takt has what needs neither an operating system nor a heap, and all of that."""
    freestanding = re.compile(r"takt/((core|model|rules|analysis|allocation)/"
                              r"|systems/(\w+/(tasks|rules|analysis|plans)/|\w+\.hpp$)"
                              r"|(compare|graphs|kernels|shares|takt|tokens)\.hpp$)")
    other = re.compile(r"takt/(core/hosted|systems/(asked_policy|explain|in_words|judge_by_keyword|method_words"
                       r"|run|simulate_method|summarize))\.hpp$")
    for name, target in sorted(owner.items()):
        if (target == "takt") != bool(freestanding.match(name) and not other.match(name)):
            complaints.append(f"{name} is of {target}")


def check_itself():
    text = """target_sources(a INTERFACE FILE_SET HEADERS FILES
  b.hpp
  d.hpp)
if(TARGET e)
  target_sources(e INTERFACE FILE_SET HEADERS FILES
    f.hpp
    g.hpp)
endif()
"""
    if corrected(text, {"b.hpp", "d.hpp", "f.hpp", "g.hpp"}) != text:
        complaints.append("lists that are right are changed")
    wanted = text.replace("  b.hpp\n", "  c.hpp\n").replace("    f.hpp\n", "")
    if corrected(text, {"c.hpp", "d.hpp", "g.hpp"}) != wanted:
        complaints.append("lists are not corrected")


if sys.argv[2] == "--write":
    write_lists()
    sys.exit()
check_itself()
owners = check_lists()
check_includes(owners, check_targets(owners))
check_freestanding(owners)
if len(owners) < 500 or len(collections.Counter(owners.values())) < 12:
    complaints.append("too few headers or targets were found")
print("\n".join(complaints[:40]))
print(f"{len(owners)} headers, {len(complaints)} complaints")
sys.exit(1 if complaints else 0)
