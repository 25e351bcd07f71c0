# SPDX-License-Identifier: MIT
# Sourced by test and demo: configures and builds one preset into build/PRESET.

# A Beast file takes g++ up to 850 MB.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1000000)}' /proc/meminfo)
  ((memory >= 1)) || memory=1
  echo $((cores < memory ? cores : memory))
}

# build PRESET [TARGET…]
build() {
  local preset=$1
  shift
  cmake --preset "$preset" >"build/$preset.configure.log" 2>&1 ||
    { cat "build/$preset.configure.log"; echo "build: cmake --preset $preset failed"; return 1; }
  ninja -C "build/$preset" -j "$(jobs)" "$@"
}
