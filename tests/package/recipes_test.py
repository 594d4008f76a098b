#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the Conan and vcpkg recipes without their clients: fields, file patterns, targets and versions."""
import ast
import json
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
complaints = []


def expect(condition, text):
    if not condition:
        complaints.append(text)


def version():
    text = (root / "include/takt/core/version.hpp").read_text()
    return ".".join(re.search(rf"version_{part} = (\d+)", text)[1] for part in ("major", "minor", "patch"))


def check_conan():
    tree = ast.parse((root / "conanfile.py").read_text())
    recipe = next(n for n in tree.body if isinstance(n, ast.ClassDef))
    fields = {t.id: ast.literal_eval(n.value) for n in recipe.body if isinstance(n, ast.Assign) for t in n.targets}
    methods = {n.name for n in recipe.body if isinstance(n, ast.FunctionDef)}
    for name in ("name", "description", "license", "topics", "package_type", "settings", "exports_sources"):
        expect(fields.get(name), f"conanfile.py: no {name}")
    expect(fields.get("name") == "takt" and fields.get("package_type") == "header-library", "conanfile.py: wrong kind")
    for method in ("set_version", "requirements", "validate", "package", "package_id", "package_info"):
        expect(method in methods, f"conanfile.py: no {method}()")
    for pattern in fields.get("exports_sources", ()):
        expect(list(root.glob(pattern)), f"conanfile.py: {pattern} matches no file")
    text = ast.unparse(recipe)
    for target in ("takt::takt", "takt::runtime", "takt::training", "takt::report"):
        expect(target in text, f"conanfile.py: no target {target}")
    ast.parse((root / "test_package/conanfile.py").read_text())
    expect((root / "test_package/main.cpp").read_text() == (root / "tests/package/consumer/main.cpp").read_text(),
           "test_package/main.cpp differs from tests/package/consumer/main.cpp")


def check_vcpkg():
    manifest = json.loads((root / "ports/takt/vcpkg.json").read_text())
    known = {"name", "version-semver", "description", "homepage", "license", "dependencies", "features", "default-features", "port-version", "supports"}
    expect(set(manifest) <= known, f"vcpkg.json: unknown fields {set(manifest) - known}")
    expect(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest.get("name", "")), "vcpkg.json: bad name")
    expect(manifest.get("version-semver") == version(), f"vcpkg.json: version is not {version()}")
    expect(manifest.get("license") == "Apache-2.0", "vcpkg.json: wrong license")
    names = [d if isinstance(d, str) else d.get("name") for d in manifest.get("dependencies", [])]
    for name in ("boost-hana", "vcpkg-cmake", "vcpkg-cmake-config"):
        expect(name in names, f"vcpkg.json: {name} is not among the dependencies")
    expect("range-v3" in manifest["features"]["report"]["dependencies"], "vcpkg.json: the report needs range-v3")
    portfile = (root / "ports/takt/portfile.cmake").read_text()
    for call in ("vcpkg_cmake_configure", "vcpkg_cmake_install", "vcpkg_cmake_config_fixup", "vcpkg_install_copyright"):
        expect(f"{call}(" in portfile, f"portfile.cmake: {call} is not called")
    for option in re.findall(r"-D(TAKT_\w+)=", portfile):
        expect(option in (root / "CMakeLists.txt").read_text(), f"portfile.cmake: no option {option}")
    path = re.search(r"CONFIG_PATH (\S+)\)", portfile)[1]
    expect(path.split("/", 1)[1] in (root / "cmake/takt_install.cmake").read_text(), f"portfile.cmake: {path} is not installed")
    expect("takt::takt" in (root / "ports/takt/usage").read_text(), "usage: no target")


check_conan()
check_vcpkg()
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
