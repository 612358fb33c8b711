"""What Debian has installed, as a package of Conan's: `--name=rocksdb` or `--name=xxhash`."""
import subprocess

from conan import ConanFile


class Installed(ConanFile):
    settings = "os", "arch"
    options = {"shared": [True, False]}
    default_options = {"shared": True}

    def set_version(self):
        module = "libxxhash" if self.name == "xxhash" else self.name
        self.version = subprocess.check_output(["pkg-config", "--modversion", module], text=True).strip()

    def package_info(self):
        self.cpp_info.includedirs = ["/usr/include"]
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "RocksDB" if self.name == "rocksdb" else self.name)
        if self.name == "rocksdb":
            target = "rocksdb-shared" if self.options.shared else "rocksdb"
            self.cpp_info.set_property("cmake_target_name", f"RocksDB::{target}")
            self.cpp_info.system_libs = (["rocksdb"] if self.options.shared else [
                ":librocksdb.a", "snappy", "lz4", "zstd", "z", "bz2", "pthread", "dl"])
