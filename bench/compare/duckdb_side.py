"""DuckDB's side of the comparison: duckdb_side.py FILE.

Prints one JSON object: `answer`, which medallion_compare must print alike, and what it took until the tables were
complete. The answer is read from the tables afterwards.
"""

import json
import os
import resource
import sys
import time

import duckdb

HERE = os.path.dirname(os.path.abspath(__file__))


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def usage():
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime, now.ru_stime, time.monotonic(), now.ru_maxrss * 1024


def resident_bytes():
    """Memory in use now. (A process inherits the peak of the one that started it.)"""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def main():
    make_tables, read_answer = read("sessions.sql"), read("answer.sql")
    connection = duckdb.connect()
    connection.execute("SET threads = 1; SET preserve_insertion_order = false; SET enable_progress_bar = false")
    connection.execute("SET VARIABLE feed = ?", [sys.argv[1]])

    resident_before = resident_bytes()
    before = usage()
    connection.execute(make_tables)
    after = usage()

    answer = connection.execute(read_answer)
    names = [column[0] for column in answer.description]
    values = [str(int(value)) for value in answer.fetchone()]
    print(json.dumps({
        "engine": "DuckDB " + duckdb.__version__,
        "answer": dict(zip(names, values)),
        "tables": {
            "user_s": after[0] - before[0],
            "system_s": after[1] - before[1],
            "wall_s": after[2] - before[2],
            "peak_bytes": after[3],
            "before_bytes": resident_before,
        },
    }))


if __name__ == "__main__":
    main()
