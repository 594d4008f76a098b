#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the Conan recipe, the vcpkg port and the citation without their clients: what Conan Center and the vcpkg registry ask of
them, and that they agree with the tree and with each other."""
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


def calls_of(node, attribute):
    """Calls self.ATTRIBUTE(..) in a method, and under which condition, if under one."""
    found = []

    def visit(at, condition):
        if isinstance(at, ast.If):
            for child in at.body:
                visit(child, ast.unparse(at.test))
            for child in at.orelse:
                visit(child, condition)
            return
        if isinstance(at, ast.Call) and ast.unparse(at.func) == f"self.{attribute}":
            found.append((at, condition))
        for child in ast.iter_child_nodes(at):
            visit(child, condition)

    visit(node, None)
    return found


def libraries_of_cmake():
    """The targets of the library, and what each links, in the words of Conan."""
    def name_of(target):
        words = {"takt": "core", "Boost::headers": "boost::headers", "Eigen3::Eigen": "eigen::eigen"}
        return words.get(target, re.sub("^takt_(system_)?", "", target))

    found = {}
    for path in sorted((root / "include/takt").rglob("CMakeLists.txt")):
        for target, links in re.findall(r"takt_add_library\((\w+) ([^)]+)\)", path.read_text()):
            found[name_of(target)] = sorted(name_of(link) for link in links.split() if "Threads" not in link)
    return found


def check_conan():
    tree = ast.parse((root / "conanfile.py").read_text())
    recipe = next(n for n in tree.body if isinstance(n, ast.ClassDef))
    names = {t.id: n.value for n in tree.body if isinstance(n, ast.Assign) for t in n.targets}
    fields = {t.id: ast.literal_eval(n.value) for n in recipe.body if isinstance(n, ast.Assign) for t in n.targets}
    methods = {n.name: n for n in recipe.body if isinstance(n, ast.FunctionDef)}
    for name in ("name", "description", "license", "url", "homepage", "topics", "package_type", "settings", "options",
                 "default_options"):
        expect(fields.get(name), f"conanfile.py: no {name}")
    expect(fields.get("name") == "takt" and fields.get("package_type") == "header-library", "conanfile.py: wrong kind")
    expect(fields.get("license") == "Apache-2.0", "conanfile.py: wrong license")
    expect(fields.get("url") == "https://github.com/conan-io/conan-center-index", "conanfile.py: url is not that of the recipes")
    expect("version" not in fields and "exports_sources" not in fields,
           "conanfile.py: version and sources come from conandata.yml")
    expect(set(fields.get("settings", ())) >= {"os", "arch", "compiler", "build_type"}, "conanfile.py: too few settings")
    expect(set(fields.get("options", {})) == set(fields.get("default_options", {})), "conanfile.py: an option has no default")
    expect("required_conan_version" in names, "conanfile.py: no required_conan_version")
    for method in ("layout", "requirements", "package_id", "validate", "source", "package", "package_info"):
        expect(method in methods, f"conanfile.py: no {method}()")
    expect("conan_data['sources'][self.version]" in ast.unparse(methods["source"]), "conanfile.py: source() ignores conandata.yml")

    requires = calls_of(methods["requirements"], "requires")
    for call, condition in requires:
        name = ast.literal_eval(call.args[0])
        expect(re.fullmatch(r"[a-z0-9_-]+/\d+(\.\d+)+", name), f"conanfile.py: {name} is a range, or no version")
        wanted = {"eigen": "self.options.training", "range-v3": "self.options.report"}.get(name.split("/")[0])
        expect(condition == wanted, f"conanfile.py: {name} under {condition}")
    expect({ast.literal_eval(c.args[0]).split("/")[0] for c, _ in requires} == {"boost", "eigen", "range-v3"}, "conanfile.py: wrong requirements")

    minimum = next(ast.literal_eval(n.value) for n in ast.walk(methods["_minimum_compilers"]) if isinstance(n, ast.Return))
    guard = (root / "include/takt/core/compiler.hpp").read_text()
    expect(minimum.get("gcc") == re.search(r"__GNUC__ < (\d+)", guard)[1], "conanfile.py: another minimum of gcc than core/compiler.hpp")
    expect(minimum.get("clang") == re.search(r"__clang_major__ < (\d+)", guard)[1],
           "conanfile.py: another minimum of clang than core/compiler.hpp")
    info = methods["package_info"]
    expect("'takt::takt' if name == 'core' else f'takt::{name}'" in ast.unparse(info), "conanfile.py: components have other targets")
    components = {}
    for n in ast.walk(info):
        if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "components":
            components |= ast.literal_eval(n.value)
        elif isinstance(n, ast.Assign) and ast.unparse(n.targets[0]).startswith("components["):
            components[ast.literal_eval(n.targets[0].slice)] = ast.literal_eval(n.value)
    libraries = libraries_of_cmake()
    expect(len(libraries) > 10, "too few targets in include/takt")
    for name, links in libraries.items():
        expect(sorted(components.get(name, [])) == links, f"conanfile.py: component {name} does not require {links}")

    data = (root / "conandata.yml").read_text()
    entry = re.search(r'^sources:\n  "([0-9.]+)":\n    url: "([^"]+)"\n    sha256: "([0-9a-f]{64})"$', data, flags=re.M)
    expect(entry and entry[1] == version(), f"conandata.yml: no source of version {version()}")
    if entry:
        expect(version() in entry[2] and entry[2].startswith(fields["homepage"]), "conandata.yml: the url is of something else")

    test = (root / "test_package/conanfile.py").read_text()
    ast.parse(test)
    expect('test_type = "explicit"' in test and "tested_reference_str" in test, "test_package/conanfile.py: does not require what it tests")
    lowest = re.search(r"cmake_minimum_required\(VERSION (\d+)\.(\d+)\)", (root / "test_package/CMakeLists.txt").read_text())
    expect(lowest and (int(lowest[1]), int(lowest[2])) <= (3, 15), "test_package: asks for more than CMake 3.15")
    expect((root / "test_package/main.cpp").read_text() == (root / "tests/package/consumer/main.cpp").read_text(),
           "test_package/main.cpp differs from tests/package/consumer/main.cpp")
    return fields["homepage"], fields["description"]


def check_vcpkg(homepage, description):
    manifest = json.loads((root / "ports/takt/vcpkg.json").read_text())
    known = {"name", "version-semver", "description", "homepage", "license", "dependencies", "features", "default-features", "port-version", "supports"}
    expect(set(manifest) <= known, f"vcpkg.json: unknown fields {set(manifest) - known}")
    expect(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest.get("name", "")), "vcpkg.json: bad name")
    expect(manifest.get("version-semver") == version(), f"vcpkg.json: version is not {version()}")
    expect(manifest.get("license") == "Apache-2.0", "vcpkg.json: wrong license")
    expect(manifest.get("homepage") == homepage, "vcpkg.json: another homepage than conanfile.py")
    expect(manifest.get("description") == description, "vcpkg.json: another description than conanfile.py")
    names = [d if isinstance(d, str) else d.get("name") for d in manifest.get("dependencies", [])]
    for name in ("boost-hana", "vcpkg-cmake", "vcpkg-cmake-config"):
        expect(name in names, f"vcpkg.json: {name} is not among the dependencies")
    for name, feature in manifest.get("features", {}).items():
        expect(feature.get("description") and feature.get("dependencies"), f"vcpkg.json: feature {name} says too little")
    portfile = (root / "ports/takt/portfile.cmake").read_text()
    for option in re.findall(r"\b(TAKT_\w+)", portfile):
        expect(f"option({option} " in (root / "CMakeLists.txt").read_text(), f"portfile.cmake: no option {option}")
    for target in ("takt::takt", "takt::runtime", "takt::report", "takt::training"):
        expect(target in (root / "ports/takt/usage").read_text(), f"usage: no target {target}")


def check_rest(homepage):
    citation = (root / "CITATION.cff").read_text()
    expect(f"\nversion: {version()}\n" in citation, f"CITATION.cff: version is not {version()}")
    expect(f"\nrepository-code: {homepage}\n" in citation, "CITATION.cff: another home than conanfile.py")
    for field in ("cff-version", "message", "title", "authors", "license"):
        expect(re.search(rf"^{field}:", citation, flags=re.M), f"CITATION.cff: no {field}")
    for forge in (".github/workflows/test.yml", ".gitlab-ci.yml"):
        text = (root / forge).read_text()
        for script in re.findall(r"scripts/\w+", text):
            expect((root / script).exists(), f"{forge}: there is no {script}")
        for script in ("scripts/test", "scripts/lint", "scripts/demo"):
            expect(script in text, f"{forge}: does not call {script}")
    # Nothing is found by chance: every package is required, or an option or component asks for it.
    for file in ("CMakeLists.txt", "cmake/takt_dependencies.cmake", "cmake/takt_library.cmake", "cmake/takt-config.cmake"):
        for line in (root / file).read_text().splitlines():
            expect(not re.search(r"find_package\((?!Threads REQUIRED|\$\{package\} QUIET)", line), f"{file}: {line.strip()}")


homepage, description = check_conan()
check_vcpkg(homepage, description)
check_rest(homepage)
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
