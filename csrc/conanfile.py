"""The recipe of a release's folder for Conan 2: `conan create fixsync`."""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy


class Fixsync(ConanFile):
    name = "fixsync"
    license = "MIT"
    description = "Exact, order-stable hit detection in Q16.16 integers"
    package_type = "library"
    languages = "C"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}  # noqa: RUF012  # as Conan wants it
    default_options = {"shared": False, "fPIC": True}  # noqa: RUF012
    implements = ("auto_shared_fpic",)
    generators = "CMakeToolchain"
    exports = "fixsync.h"
    exports_sources = "CMakeLists.txt", "LICENSE", "fixsync.c", "fixsync*.h", "fixsync.pc.in"

    def set_version(self) -> None:
        header = (Path(self.recipe_folder) / "fixsync.h").read_text(encoding="utf-8")
        numbers = re.findall(r"^#define FXS_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header, re.M)
        self.version = ".".join(numbers)

    def layout(self) -> None:
        cmake_layout(self)

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self) -> None:
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self) -> None:
        self.cpp_info.libs = ["fixsync"]
        self.cpp_info.set_property("cmake_target_name", "fixsync::fixsync")
        if self.options.shared:
            self.cpp_info.defines = ["FXS_SHARED"]
