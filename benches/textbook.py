#!/usr/bin/env python3
"""The matching core against the textbook book, in one run: textbook.py BINARY [workloads folder]

Builds the generator and the baseline, makes the workloads w1, w2 and w3, and runs baseline, bare
book and whole engine in turn, each pinned to one core; the engine once more with 10 finished orders
and trades kept of each account. Prints medians in million commands per second and their ratios to
the baseline's. Only the ratios can be compared between machines.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 5
RUNS = {"bare book": ("--book-only",), "engine": (), "engine, 10 kept": ("--kept", "10")}
CORE = str(max(os.sched_getaffinity(0)))


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    root = pathlib.Path(__file__).resolve().parent.parent
    workloads = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else root.parent / "shared" / "workloads"
    if not workloads.is_dir():
        sys.exit(f"skipped: no workloads in {workloads}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        build(workloads / "gen.cpp", folder / "gen", ["-O2"])
        build(workloads / "textbook.cpp", folder / "textbook", ["-O3", "-march=native"])
        print(f"{'':4}{'textbook':>10}" + "".join(f"{run:>17}{'ratio':>8}" for run in RUNS))
        for name in ("w1", "w2", "w3"):
            file = folder / f"{name}.bin"
            subprocess.run([folder / "gen", name, file], check=True, stdout=subprocess.DEVNULL)
            rows = [
                (textbook(folder, file), *(replay(binary, file, *flags) for flags in RUNS.values()))
                for _ in range(ROUNDS)
            ]
            base, *speeds = (statistics.median(column) for column in zip(*rows))
            ratios = (statistics.median(row[at] / row[0] for row in rows) for at in range(1, 1 + len(RUNS)))
            figures = "".join(f"{speed:17.2f}{ratio:8.2f}" for speed, ratio in zip(speeds, ratios))
            print(f"{name:4}{base:10.2f}{figures}", flush=True)
            file.unlink()


def build(source, target, flags):
    subprocess.run(["g++", "-std=c++17", *flags, source, "-o", target], check=True)


def textbook(folder, file):
    out = pinned([folder / "textbook", file])
    return float(re.search(r" mps=([0-9.]+)", out).group(1))


def replay(binary, file, *flags):
    out = pinned([binary, "replay", file, "--json", *flags])
    return json.loads(out)["commands_per_s"] / 1e6


def pinned(command):
    run = subprocess.run(["taskset", "-c", CORE, *command], check=True, capture_output=True, text=True)
    return run.stdout


if __name__ == "__main__":
    main()
