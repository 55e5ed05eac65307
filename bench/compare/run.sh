#!/usr/bin/env bash
# The comparison with DuckDB, see README.md: bash bench/compare/run.sh [--install] [--events N] [--pairs N]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

fail() { printf 'run.sh: %s\n' "$*" >&2; exit 1; }

events=1000000 pairs=3 install=
while (($#)); do
  case $1 in
    --install) install=yes; shift; continue ;;
    --events | --pairs) (($# > 1)) || fail "$1 needs a number" ;;
    *) fail "unknown option $1. Usage: bash bench/compare/run.sh [--install] [--events N] [--pairs N]" ;;
  esac
  [[ $2 =~ ^[1-9][0-9]*$ ]] || fail "$1 $2: not a number above 0"
  if [[ $1 == --events ]]; then events=$2; else pairs=$2; fi
  shift 2
done

here=build/compare
python=$here/venv/bin/python
if [[ $install ]]; then
  python3 -m venv "$here/venv"
  "$python" -m pip install --quiet --disable-pip-version-check --upgrade --only-binary :all: duckdb
fi
"$python" -c 'import duckdb' 2>/dev/null ||
  fail "DuckDB is not installed. With --install it is, from PyPI into $here/venv; nothing else is touched."

mkdir -p "$here"
{
  [[ -f build/release/CMakeCache.txt ]] ||
    cmake -S . -B build/release -DCMAKE_BUILD_TYPE=Release -DMEDALLION_TESTS=OFF -DMEDALLION_WERROR=OFF
  cmake --build build/release -j 2 --target medallion_compare medallion_feed
} >"$here/build.txt" 2>&1 || { tail -n 40 "$here/build.txt" >&2; fail "the build failed"; }

feed=$here/feed-$events.jsonl
if [[ ! $feed -nt build/release/bench/medallion_feed ]]; then
  build/release/bench/medallion_feed --flat "$events" >"$feed.part" 2>/dev/null
  mv "$feed.part" "$feed"
fi
python3 bench/compare/compare.py --feed "$feed" --pairs "$pairs" --python "$python" \
  --medallion build/release/bench/medallion_compare
