#!/usr/bin/env python3
"""Prints a floor.json, or the newest that is recorded, and how near to the
ceiling each stage is:  show.py [FILE | FOLDER [SHAPE...]]
The times are those of peers.json and of the stages' own results in the folder:
of two times of one stage and shape the first counts."""

import os
import re
import sys

from model import Model
from command import end, stop
from recorded import exists, files, is_number, newest_of, read
from shapes import shape_of

FIRST = "small", "mission", "long", "large"
# A table's section and head; of each column the key of its number, its width
# and decimals; what stands behind a row's name.
TABLES = [
    ("rates", "a second", " %9s %19s %9s %6s %6s" % (
        "10^12", "from   to", "cycle SM", "MHz", "W"),
     ["tera_s 9.3", "low_tera_s 9.3", "high_tera_s 9.3", "per_cycle_sm 9.1",
      "clock_mhz 6.0", "clocks/power_max_w 6.0"],
     lambda name, row: f"{name:.30}, {row.get('unit', ''):.13}"),
    ("waits", "one after the other", " %9s %9s %6s" % (
        "cycles", "ns", "MHz"),
     ["cycles 9.1", "ns 9.1", "clock_mhz 6.0"], lambda name, row: name),
    ("launch", "a launch, us", " %9s %9s %9s" % (
        "graph", "in a row", "events"),
     ["graph/us 9.2", "back_to_back/us 9.2", "event/us 9.2"],
     lambda name, row: name),
    ("beside", "scores and products, us", " %9s %9s %9s" % (
        "scores", "products", "both"),
     ["scores/us 9.1", "products/us 9.1", "both/us 9.1"],
     lambda name, row: f"{name:.8}, {number(row, 'flop_per_score .0')} FLOP a "
                       "score")]


def number(row, column):
    path, form = column.split()
    for key in path.split("/"):
        row = row.get(key) if isinstance(row, dict) else None
    return (f"{row:{form}f}" if is_number(row)
            else "-".rjust(int(form.split(".")[0] or 0)))


def print_tables(floor):
    for section, title, head, columns, label in TABLES:
        rows = floor.section(section, None)
        if section == "beside" and not (rows and rows.value):
            continue
        print(f"\n{title:34}{head}")
        for name, row in (rows.sections() if rows else {}).items():
            print(f"{label(name, row.value):34}",
                  *(number(row.value, column) for column in columns))


def add_times(times, result):
    """times[shape][stage], from a peers.json or a stage's own result."""
    found = [(shape, who, entry) for shape, of in (
        result.section("peers").sections().items()
        if "peers" in result.value else [])
        for who, entry in of.section("contenders").sections().items()]
    meta = result.section("build_meta")
    if "perf" in result.value and meta.text("arm", "") == "default":
        found += [(shape, meta.text("stage"), entry) for shape, entry in
                  result.section("perf").sections().items()]
    for shape, who, entry in found:
        graph = entry.section("graph", None)
        if graph:
            times.setdefault(shape, {}).setdefault(who, graph.number("p50_us"))


def print_share(shape, stages, its):
    line = (f"\n{shape}: ceiling {its['ceiling_us']:.4g} us, by "
            f"{its['ceiling_binding']}; floor {its['floor_us']:.4g} us, by "
            f"{its['binding']}; sustained {its['sustained_us']:.4g} us; "
            f"{its['whole']['tiles']} tiles of 64 rows "
            f"{its['whole']['us']:.4g} us")
    if its["chain"]["us"] is not None:
        line += f"; in turn {its['chain']['us']:.4g} us"
    print(line)
    for stage, us in stages.items():
        print(f"  {stage:32} {us:9.2f} us, "
              f"{100 * its['ceiling_us'] / us:5.1f} % of the ceiling")


def main(path="", *shapes):
    if not path.endswith(".json"):
        path = newest_of("floor.json", path) or stop(
            3, "floor needs a GPU, and no run of it is recorded.")
    place = os.path.dirname(path)
    floor, times = read(path), {}
    benches = [file for file in files(place)
               if re.search(r"/stage\w+(\.[A-Z][^/.]*)*(\.cold)?\.json$", file)]
    for file in filter(exists, [f"{place}/peers.json", *benches]):
        add_times(times, read(file))
    for shape in shapes:
        times.setdefault(shape, {})
    names = [name for name in FIRST if name in times]
    names += [name for name in times if name not in FIRST]
    try:
        shaped = {name: shape_of(name) for name in names}
    except ValueError as reason:
        stop(2, str(reason))
    meta = floor.section("build_meta")
    print(f"{meta.section('device').text('name')}, {meta.text('date'):.10}")
    print_tables(floor)
    model = Model(path) if names else None
    for name, shape in shaped.items():
        print_share(name, times[name], model.json(shape))


if __name__ == "__main__":
    end(main, *sys.argv[1:])
