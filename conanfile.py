# SPDX-License-Identifier: Apache-2.0
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.layout import basic_layout
from conan.tools.files import copy, load


class TaktConan(ConanFile):
    name = "takt"
    description = "Real-time GPU scheduling that you can prove, try and run"
    license = "Apache-2.0"
    topics = ("real-time", "gpu", "scheduling", "schedulability", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "LICENSE", "include/*"
    no_copy_source = True

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "include", "takt", "core", "version.hpp"))
        self.version = ".".join(re.search(rf"version_{part} = (\d+)", text)[1] for part in ("major", "minor", "patch"))

    def layout(self):
        basic_layout(self)

    options = {"training": [True, False], "report": [True, False]}
    default_options = {"training": False, "report": True}

    def requirements(self):
        self.requires("boost/[>=1.74]", options={"header_only": True})
        if self.options.training:
            self.requires("eigen/[>=3.4 <4]")
        if self.options.report:
            self.requires("range-v3/[>=0.12 <1]")

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for pattern in ("*.hpp", "*.cuh"):
            copy(self, pattern, os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "takt")
        self.cpp_info.components["core"].set_property("cmake_target_name", "takt::takt")
        self.cpp_info.components["core"].requires = ["boost::headers"]
        self.cpp_info.components["runtime"].set_property("cmake_target_name", "takt::runtime")
        self.cpp_info.components["runtime"].requires = ["core"]
        if self.options.training:
            self.cpp_info.components["training"].set_property("cmake_target_name", "takt::training")
            self.cpp_info.components["training"].requires = ["core", "eigen::eigen"]
        if self.options.report:
            self.cpp_info.components["report"].set_property("cmake_target_name", "takt::report")
            self.cpp_info.components["report"].requires = ["core", "range-v3::range-v3"]
        if self.settings.os == "Linux":
            self.cpp_info.components["runtime"].system_libs = ["pthread"]
