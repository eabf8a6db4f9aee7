"""Counters that are wrong teach wrong lessons about a kernel's memory: each one
against an answer that was worked out by hand; and the table that a reader sees.
Wavefronts of any addresses: tests/device/test_wavefronts.py; copies left behind
and WMMA: the stages' recorded counts."""

import pytest

from simt.driver import drive, is_at, rows

# kernel and its numbers | mark of a line, or total | what is counted there. In
# async_copy, lanes that fill with zeros read nothing.
LONG = {"wavefronts": "shared_wavefronts", "ideal": "shared_wavefronts_ideal",
        "store_sectors": "global_store_sectors",
        "load_sectors": "global_load_sectors",
        "sectors_ideal": "global_sectors_ideal",
        "copy_bytes": "async_copy_bytes"}
COUNTS = """
global_stride 1 0 | global-stride | global_stores 1, global_loads 0
global_stride 1 0 | global-stride | store_sectors 4
global_stride 1 1 | global-stride | store_sectors 5, sectors_ideal 4
global_stride 2 0 | global-stride | store_sectors 8, sectors_ideal 4
global_stride 8 0 | global-stride | store_sectors 32, sectors_ideal 4
global_stride 64 0 | global-stride | store_sectors 32
global_stride 0 0 | global-stride | store_sectors 1, sectors_ideal 1
divergent_loop 9 0 | divergent-load | global_loads 9, load_sectors 36
divergent_loop 9 0 | divergent-store | shared_stores 9
divergent_loop 9 0 | divergent-end | global_stores 1
long_loop 3000 0 | long-load | global_loads 3000, lane_accesses 96000
long_loop 3000 0 | long-once | global_loads 1
async_copy 32 0 | async-copy | async_copies 1, copy_bytes 512, global_loads 1
async_copy 32 0 | async-copy | load_sectors 16, wavefronts 4, shared_loads 0
async_copy 20 0 | async-copy | copy_bytes 512, load_sectors 10
async_copy 0 0 | async-copy | copy_bytes 512, global_loads 0
collectives 3 0 | shuffle | shuffles 6
collectives 3 0 | ballot | shuffles 6
collectives 3 0 | warp-sync | warp_syncs 6
collectives 3 0 | barrier | barriers 3
collectives 3 0 | total | barriers 6, shuffles 30
counter 0 0 | count | atomics 2
of_registers 0 0 | halves | tensor_instructions 1, tensor_flops 4096
of_registers 1 0 | codes | tensor_instructions 1, tensor_flops 8192
tma_tile 0 0 | total | tma_loads 3, tma_bytes 18432
wgmma_product 0 1 | total | wgmma_instructions 20, tensor_flops 2621440
stmatrix_x4 0 0 | st-store | shared_stores 64, wavefronts 256
"""

def count(job, program="driver"):
    return drive(program, [job], "--counts")[0]


def counters_at(said, mark):
    if mark == "total":
        return said["total"]
    total = {}
    for line in said["lines"]:
        if is_at(line, mark):
            for name, n in line["counters"].items():
                total[name] = total.get(name, 0) + n
    return total


def wrong_counts(program, before=()):
    table = rows(COUNTS)
    jobs = list(dict.fromkeys(row[0] for row in table))
    said = dict(zip(jobs, drive(program, jobs, "--counts", before=before)))
    for job, mark, wanted in table:
        got = counters_at(said[job], mark)
        for name, n in (pair.split() for pair in wanted.split(", ")):
            if got.get(LONG.get(name, name), 0) != int(n):
                yield job, mark, name, n, got


def test_counters_are_as_worked_out_by_hand():
    assert not list(wrong_counts("driver"))


def test_float_operations():
    """A negation, a maximum and a conversion are none, which is how a profiler
    counts as well."""
    total = count("flops 0 0")["total"]
    if not total.get("scalar_flops"):
        pytest.skip("no objdump here, or another processor")
    assert total["scalar_flops"] == 12 * 64 + 64 * 63 // 2
    assert total["tensor_flops"] == 0


def test_the_order_of_blocks_does_not_show():
    one, three = (count(f"collectives 17 0 threads={n}") for n in (1, 3))
    assert one["total"] == three["total"] and one["lines"] == three["lines"]


def test_the_table_fits_100_columns_and_agrees_with_json():
    said = count("divergent_loop 9 0")
    lines = said["counted"].splitlines()
    assert max(map(len, lines)) <= 100
    row = next(line for line in lines if "global load " in line)
    assert "4.00 of  4.00" in row and "const float x = data[" in row
    assert said["total"]["global_loads"] == 9 and len(said["lines"]) == 4
    assert is_at(said["lines"][0], "divergent-load")
