#!/usr/bin/env bash
# Everything that a developer does, in one place: bash cmake/dev.sh help
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
bash cmake/dev.sh COMMAND
  demo            build the medallion tool; run it on the golden sample and on a recorded feed
  test [PRESET]   build everything and run all tests; PRESET is gcc (default), clang, sanitize (addresses and
                  undefined behaviour) or thread (races; only the tests that start threads)
  bench [ARG…]    build, and print the table of figures; ARGs go to bench/figures.cc: --largest 20000000
  steps [ARG…]    build, and run the benchmark of each step; ARGs go to Google Benchmark
  compare [ARG…]  compare with DuckDB, see bench/compare/README.md; ARG --install installs it
  schemas         fetch the official JSON schemas of OCPP to build/schemas, for the test that compares our tables with
                  them; needs npm
  lint            clang-tidy over the sources
  format          put the sources in our format; `format --check` only says what differs
  setup           install what the others need; they call it themselves
END
}

say() { printf '== %s\n' "$*"; }
fail() { printf 'dev.sh: %s\n' "$*" >&2; exit 1; }

jobs=$(nproc 2>/dev/null || sysctl -n hw.ncpu)

# Runs a command silently; only a failure shows the end of what it said.
quietly() {
  local log=build/log/$1.txt
  shift
  mkdir -p build/log
  "$@" >"$log" 2>&1 && return
  tail -n 60 "$log" >&2
  fail "this failed: $*
The whole output is in $log"
}

build_packages=(g++ cmake ninja-build libabsl-dev libsimdjson-dev nlohmann-json3-dev libssl-dev libsqlite3-dev libzstd-dev catch2
  libbenchmark-dev)
clang_packages=(clang-14 libclang-rt-14-dev clang-tidy-14 clang-format-14)

# Installs those of the packages that are missing. Asks neither network nor root where none is.
need() {
  if ! command -v apt-get >/dev/null; then
    say "No apt-get here, so nothing is installed. Needed: g++ 12 or clang 14, CMake 3.25, Ninja or make, and the" \
      "development files of Abseil, simdjson 3, nlohmann/json 3.11, OpenSSL 3, SQLite 3, zstd, Catch2, Google Benchmark."
    return
  fi
  local package missing=() root=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID)); then root=(sudo); fi
  say "Installing ${missing[*]}"
  quietly apt-update "${root[@]}" apt-get update
  quietly apt-install "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

# configure PRESET: sets up build/PRESET.
configure() {
  local preset=$1 args=(-DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
  # Tests keep their assertions. Without optimization clang takes half the time, and it warns all the same.
  case $preset in
    release) args+=(-DCMAKE_BUILD_TYPE=Release -DMEDALLION_TESTS=OFF -DMEDALLION_WERROR=OFF) ;;
    gcc) args+=(-DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -g1") ;;
    clang) args+=(-DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-g1) ;;
    sanitize) args+=(-DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-g1 -O1"
      "-DMEDALLION_SANITIZE=address;undefined" -DMEDALLION_BENCH=OFF) ;;
    thread) args+=(-DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-g1 -O1"
      -DMEDALLION_SANITIZE=thread) ;;
    *) usage >&2; exit 2 ;;
  esac
  if command -v ninja >/dev/null; then args+=(-G Ninja); fi
  if command -v ccache >/dev/null; then args+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  # Without apt-get we do not guess: CMake finds every library, or says which one is missing.
  if ! command -v apt-get >/dev/null; then args+=(-DMEDALLION_FETCH=OFF); fi
  quietly "$preset-configure" cmake -S . -B "build/$preset" "${args[@]}"
}

# build PRESET TARGET…
build() {
  local preset=$1
  shift
  say "Building $* in build/$preset"
  quietly "$preset-build" cmake --build "build/$preset" -j "$jobs" --target "$@"
}

sources() { find include src tests bench examples -name '*.h' -o -name '*.cc'; }

demo() {
  need "${build_packages[@]}"
  configure release
  build release medallion
  local feed
  for feed in tests/golden/ocpp/bronze.jsonl tests/golden/ocpp/recorded/microocpp-excerpt.jsonl; do
    say "medallion ocpp run --input $feed"
    build/release/examples/medallion ocpp run --input "$feed"
  done
}

run_tests() {
  local preset=${1:-gcc}
  need "${build_packages[@]}"
  [[ $preset == gcc ]] || need "${clang_packages[@]}"
  configure "$preset"
  if [[ $preset == thread ]]; then
    build "$preset" tests_kernel tests_ocpp_laws
    say "Testing"
    ctest --test-dir build/thread -j "$jobs" --output-on-failure -R '^(tests_kernel|tests_ocpp_laws)$'
    return
  fi
  build "$preset" all
  say "Testing"
  ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure
}

bench() {
  need "${build_packages[@]}"
  configure release
  build release medallion_figures example_01_embed
  build/release/bench/medallion_figures build/release/bench/figures "$@"
  # What a host links of ours: all symbols of the library in the first example, templates included; some share a place.
  nm -C -S --radix=d build/release/examples/example_01_embed |
    awk '/medallion/ && !seen[$1]++ { bytes += $2 }
      END { printf "%-66s %9.0f %-12s %s\n", "library code in a host that uses the charging pack", bytes / 1024, "KiB", "must 1024, aim 400" }'
  if [[ -x build/compare/venv/bin/python ]]; then bash bench/compare/run.sh; fi
}

steps() {
  need "${build_packages[@]}"
  configure release
  build release medallion_bench
  build/release/bench/medallion_bench "$@"
}

compare() {
  need "${build_packages[@]}"
  configure release
  bash bench/compare/run.sh "$@"
}

# From a package that ships them; they are not ours to keep in the tree.
schemas() {
  local package=ocpp-rpc version=2.2.1 to=$PWD/build/schemas
  command -v npm >/dev/null || fail "npm is needed to fetch $package"
  mkdir -p "$to"
  quietly schemas npm pack --silent --pack-destination "$to" "$package@$version"
  tar -xzf "$to/$package-$version.tgz" -C "$to" --strip-components=3 package/lib/schemas
  rm "$to/$package-$version.tgz"
  say "The schemas are in build/schemas"
}

lint() {
  need "${build_packages[@]}" "${clang_packages[@]}"
  configure clang
  say "Running clang-tidy"
  find src examples bench -name '*.cc' -print0 |
    quietly lint xargs -0 -n 1 -P "$jobs" clang-tidy-14 --quiet -p build/clang
}

format() {
  need "${clang_packages[@]}"
  if [[ ${1:-} == --check ]]; then
    say "Checking the format"
    sources | quietly format xargs clang-format-14 --dry-run -Werror
  else
    sources | xargs clang-format-14 -i
  fi
}

command=${1:-help}
shift || true
case $command in
  demo | bench | steps | compare | schemas | lint | format) "$command" "$@" ;;
  test) run_tests "$@" ;;
  setup) need "${build_packages[@]}" "${clang_packages[@]}" ;;
  help | --help | -h) usage ;;
  *) usage >&2; exit 2 ;;
esac
