# SPDX-License-Identifier: Apache-2.0
"""The lists of headers in the CMakeLists.txt files below include/takt."""
import re

# Target, file set and names. What only nvcc compiles is in the file set `device`.
LIST = re.compile(r"target_sources\((\w+) INTERFACE FILE_SET (\w+)(?: TYPE HEADERS BASE_DIRS \S+)? FILES\s*([^)]*?)\s*\)")
SUFFIX = {"HEADERS": ".hpp", "device": ".cuh"}


def headers_in(folder):
    """The headers below a folder `include`, such as takt/core/bit.hpp."""
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.suffix in SUFFIX.values())


def lists_in(folder):
    """For each list below a folder `include`: its target, its file set, and its headers as headers_in names them."""
    for path in sorted(folder.rglob("CMakeLists.txt")):
        for target, files, names in LIST.findall(path.read_text()):
            # The name of a header of another folder is left as it is.
            yield target, files, [str((path.parent / name).relative_to(folder)) if "/" not in name else name
                                  for name in names.split()]


def listed_headers(target, folder):
    """The headers below a folder `include` that a target owns."""
    return {name for owner, _, names in lists_in(folder) if owner == target for name in names}
