# SPDX-License-Identifier: Apache-2.0
import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, get
from conan.tools.layout import basic_layout
from conan.tools.scm import Version

required_conan_version = ">=2.0.9"


class TaktConan(ConanFile):
    name = "takt"
    description = "Real-time GPU scheduling that you can prove, try and run"
    license = "Apache-2.0"
    url = "https://github.com/conan-io/conan-center-index"
    homepage = "https://takt.example/takt"  # placeholder until the first release has a home
    topics = ("real-time", "gpu", "scheduling", "schedulability", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"report": [True, False], "training": [True, False]}
    default_options = {"report": True, "training": False}
    no_copy_source = True

    @property
    def _minimum_compilers(self):
        return {"gcc": "12", "clang": "16"}

    def layout(self):
        basic_layout(self)
        # `conan editable add . --version=VERSION` serves the tree itself.
        self.cpp.source.includedirs = ["include"]

    def requirements(self):
        self.requires("boost/1.74.0", options={"header_only": True}, transitive_headers=True)
        if self.options.training:
            self.requires("eigen/3.4.0", transitive_headers=True)
        if self.options.report:
            self.requires("range-v3/0.12.0", transitive_headers=True)

    def package_id(self):
        self.info.clear()

    def validate(self):
        if self.settings.compiler.get_safe("cppstd"):
            check_min_cppstd(self, 20)
        compiler = str(self.settings.compiler)
        if compiler not in self._minimum_compilers:
            raise ConanInvalidConfiguration(f"{self.ref} is built by {' and '.join(self._minimum_compilers)} only")
        minimum = self._minimum_compilers[compiler]
        if Version(self.settings.compiler.version) < minimum:
            raise ConanInvalidConfiguration(f"{self.ref} needs {compiler} {minimum} or newer")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for pattern in ("*.hpp", "*.cuh"):
            copy(self, pattern, os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "takt")
        self.cpp_info.set_property("pkg_config_name", "takt")
        # What each target of include/takt/**/CMakeLists.txt links.
        components = {
            "core": ["boost::headers"],
            "checking": ["core"],
            "generation": ["core"],
            "host": ["core"],
            "prediction": ["core"],
            "simulation": ["host"],
            "runtime": ["host"],
            "cuda": ["prediction", "runtime"],
            "report_text": ["simulation"],
            "study": ["host", "report_text"],
            "accelerators": ["report_text"],
            "accelerators_run": ["runtime"],
            "graphs": ["generation", "report_text"],
            "graphs_run": ["runtime"],
            "locked_gpus": ["generation", "prediction", "report_text", "simulation"],
            "locked_gpus_run": ["locked_gpus", "runtime"],
            "rtgpu": ["generation", "report_text"],
            "shares": ["generation", "prediction", "report_text", "simulation"],
            "shares_run": ["cuda", "runtime"],
        }
        if self.options.training:
            components["training"] = ["prediction", "eigen::eigen"]
        if self.options.report:
            components["report"] = ["report_text", "range-v3::range-v3"]
        for name, requirements in components.items():
            component = self.cpp_info.components[name]
            component.set_property("cmake_target_name", "takt::takt" if name == "core" else f"takt::{name}")
            component.requires = requirements
            component.bindirs = []
            component.libdirs = []
        if self.settings.os in ("Linux", "FreeBSD"):
            for name in ("runtime", "study"):
                self.cpp_info.components[name].system_libs = ["pthread"]
