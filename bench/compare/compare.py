"""Runs both sides in turn, each in a process of its own, and prints what they took, once their answers agree.

Called by run.sh. Needs nothing but Python.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time


def run(command):
    """The side's own JSON, with what the whole process took under `process`."""
    since = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    with process.stdout:
        output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"compare.py: {' '.join(command)} failed with code {process.returncode}")
    side = json.loads(output)
    side["process"] = {
        "user_s": usage.ru_utime,
        "system_s": usage.ru_stime,
        "wall_s": time.monotonic() - since,
        "peak_bytes": usage.ru_maxrss * 1024,
    }
    side["tables"]["own_bytes"] = side["tables"]["peak_bytes"] - side["tables"]["before_bytes"]
    return side


def check(ours, theirs):
    """Ends the comparison, if the answers differ."""
    a, b = ours["answer"], theirs["answer"]
    names = list(a) + [name for name in b if name not in a]
    differing = [name for name in names if a.get(name) != b.get(name)]
    if not differing:
        return
    print(f"The answers differ, so nothing is compared.\n{'':24}{ours['engine']:>24}{theirs['engine']:>24}")
    for name in differing:
        print(f"{name:24}{a.get(name, '-'):>24}{b.get(name, '-'):>24}")
    sys.exit(1)


ROWS = (
    # label, part, value, divisor, decimals
    ("to complete tables: user CPU, s", "tables", "user_s", 1, 2),
    ("  system CPU, s", "tables", "system_s", 1, 2),
    ("  wall, cold, s", "tables", "wall_s", 1, 2),
    ("  peak memory over that before, MB", "tables", "own_bytes", 1e6, 0),
    ("  peak memory, MB", "tables", "peak_bytes", 1e6, 0),
    ("whole process: user CPU, s", "process", "user_s", 1, 2),
    ("  wall, s", "process", "wall_s", 1, 2),
    ("  peak memory, MB", "process", "peak_bytes", 1e6, 0),
)


def show(ours, theirs):
    print(f"{'median of ' + str(len(ours)):36}{ours[0]['engine']:>14}{theirs[0]['engine']:>14}{'ratio':>8}")
    for label, part, value, divisor, decimals in ROWS:
        a, b = (statistics.median(side[part][value] / divisor for side in sides) for sides in (ours, theirs))
        ratio = f"{b / a:.2f}x" if a > 0 else "-"
        print(f"{label:36}{a:14.{decimals}f}{b:14.{decimals}f}{ratio:>8}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--feed", required=True)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--medallion", required=True, help="the program medallion_compare")
    parser.add_argument("--python", required=True, help="a Python that has the package duckdb")
    arguments = parser.parse_args()
    duckdb_side = os.path.join(os.path.dirname(os.path.abspath(__file__)), "duckdb_side.py")

    with open(arguments.feed, "rb") as feed:  # so that both find it in the page cache
        while feed.read(1 << 20):
            pass
    ours, theirs = [], []
    for _ in range(max(1, arguments.pairs)):
        ours.append(run([arguments.medallion, arguments.feed]))
        theirs.append(run([arguments.python, duckdb_side, arguments.feed]))
        check(ours[-1], theirs[-1])
    answer = ours[0]["answer"]
    print(f"{answer['events']} events, {os.path.getsize(arguments.feed) / 1e6:.0f} MB, one thread each. Both found "
          f"{answer['silver']} silver rows, {answer['technical_duplicates']} technical and "
          f"{answer['business_duplicates']} business duplicates,\n{answer['quarantined']} quarantined, "
          f"{answer['conflicts']} of them conflicts, {answer['sessions']} sessions and "
          f"{int(answer['energy_final_wh']) / 1000:.3f} kWh final; and the same keys and session rows.\n")
    show(ours, theirs)


if __name__ == "__main__":
    main()
