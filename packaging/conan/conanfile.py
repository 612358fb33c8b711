"""linebloom from this source tree, for the RocksDB that a project takes from Conan.

  conan create packaging/conan --build=missing

ConanCenter has RocksDB and xxHash.
"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

ROOT = os.path.join("..", "..")


class Linebloom(ConanFile):
    name = "linebloom"
    description = "A RocksDB filter policy: filters of solved 64-byte lines, one of them per lookup"
    license = "Apache-2.0"
    topics = ("rocksdb", "bloom-filter", "filter")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "rtti": [True, False]}
    default_options = {"shared": False, "rtti": True}

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, ROOT, "CMakeLists.txt"))
        self.version = re.search(r"project\(linebloom VERSION ([\d.]+)", text)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "linebloom.mk", "LICENSE", "filter_policy/*"):
            copy(self, pattern, os.path.join(self.recipe_folder, ROOT), self.export_sources_folder)

    def configure(self):
        # One RocksDB in a process: liblinebloom.so needs it as a shared library.
        self.options["rocksdb"].shared = self.options.shared

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("rocksdb/[>=7.3 <11.13]", transitive_headers=True, transitive_libs=True)
        self.requires("xxhash/[>=0.8 <1]", visible=False)

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["LINEBLOOM_DEVELOPER"] = False
        toolchain.cache_variables["XXHASH_INCLUDE_DIR"] = self.dependencies["xxhash"].cpp_info.includedirs[0]
        if not self.options.rtti:
            toolchain.extra_cxxflags.append("-fno-rtti")
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="linebloom" if self.options.shared else "linebloom_static")

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*", os.path.join(self.source_folder, "filter_policy", "include"),
             os.path.join(self.package_folder, "include"))
        for pattern in ("liblinebloom.so*",) if self.options.shared else ("liblinebloom.a",):
            copy(self, pattern, self.build_folder, os.path.join(self.package_folder, "lib"))

    def package_info(self):
        self.cpp_info.set_property("cmake_target_name", "linebloom::linebloom")
        if not self.options.shared:
            self.cpp_info.set_property("cmake_target_aliases", ["linebloom::linebloom_static"])
        self.cpp_info.libs = ["linebloom"]
        # Keeps the library, and with it the policy's name, in a program that only uses option strings.
        flags = (["-Wl,--no-as-needed"] if self.options.shared
                 else ["-Wl,--undefined=linebloom_register_on_load"])
        self.cpp_info.sharedlinkflags = self.cpp_info.exelinkflags = flags
