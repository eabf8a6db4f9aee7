"""A mistake in a kernel that the executor does not name, or names at another
line, costs a learner the evening that the executor was made to save. Each
kernel is right without its bug, and with it the line or both lines are named;
and what hangs or leaves its memory ends, with the error that a GPU would
give."""

import re
from pathlib import Path

import pytest

from simt.driver import MARKS, drive, is_at, one, rows

pytestmark = pytest.mark.apart

# By the executor as it is, and where its own C is watched for wrong addresses
# and undefined behaviour. (On other fibres: tests/aarch64.)
VARIANTS = ["driver", "driver_gcc"]

ERRORS = {"outside global memory": "IllegalAddress",
          "outside shared memory": "IllegalAddress",
          "misaligned address": "MisalignedAddress",
          "deadlock": "LaunchTimeout", "livelock": "LaunchTimeout"}

# kernel, bug, second number | kind | lines, the second where the other access
# is | how many findings in all | error of the launch, if not that of ERRORS
BUGS = """
block_exchange 1 0 | race | exchange-read exchange-write | 2
half_warps 1 0 | race | half-read half-write | 1
bytes 1 0 | race | bytes-write bytes-read | 3
counter 1 0 | race | count-read count | 1
spin 0 0 | race | set spin | 1
helpers 1 0 | race | read-one put | 1
helpers 1 0 | race | read-one put-two | 1
global_exchange 1 0 | race | global-read global-write | 2
blocks_meet 1 0 threads=1 | race | plain-count plain-count | 1
blocks_meet 2 0 threads=1 | race | plain-write plain-read | 1
blocks_meet 2 0 order=1 threads=1 | race | plain-write plain-read | 1
first_come 1 0 order=1 | race | first-read first-write | 1
counted_in 1 0 order=4 | race | counted-write counted-read | 2
counted_in 2 0 order=4 | race | counted-read counted-write | 1
pipeline 1 2 | read before the wait | early-read first-copy | 1
pipeline 2 2 | copy never waited for | next-copy | 1
pipeline 3 2 | write before the wait | scribble first-copy | 1
ring 1 0 | race | drain fill | 1
ring 2 0 | deadlock | refill wait | 1
ring 3 0 | wrong use | wait | 1 | IllegalInstruction
one_try 1 0 | tried once | try | 2
one_try 1 0 | race | try-read try-write | 2
one_try 2 0 order=3 | tried once | tries | 4
one_try 2 0 order=3 | race | try-write tries-read | 4
one_try 3 0 order=27 | race | at-once at-once | 1
cleared 1 0 | race | set-one clear | 2
cleared 1 0 | race | clear set-one | 2
cleared 2 0 | race | set-one clear | 1
pairs 1 0 | barrier reuse | pair-meets pair-meets | 1
split_warps 1 0 | barrier count | half-warps | 1
split_warps 2 0 | barrier divergence | other-lanes one-lane | 1
named_barriers 1 0 | barrier count | count-32 count-64 | 1
named_barriers 2 0 | wrong use | count-33 | 1 | IllegalInstruction
named_barriers 3 0 | wrong use | number-16 | 1 | IllegalInstruction
two_lines 32 0 | barrier divergence | line-two line-one | 1
two_barriers 0 0 | deadlock | wait-for-all wait-for-some | 1
spin 1 0 | livelock | spin | 1
chain 1 0 | race | chain-sum chain-read | 2
chain 1 0 | race | chain-flag chain-wait | 2
chain 2 0 | race | chain-sum chain-read | 1
sum_last 1 4 | race | sum-part sum-read | 1
sum_last 2 4 | race | sum-part sum-read | 1
locked_here 1 0 | race | here-count here-count | 1
handed_on 1 0 | race | hand-read hand-write | 1
handed_on 2 0 | race | hand-flag hand-look | 1
add_doubles 1 4 threads=1 | race | cas-store cas-look | 2
found 1 0 | race | found found | 1
same_value 1 0 | race | same-one same-one | 1
same_value 2 0 threads=1 | race | same-word same-word | 1
same_bytes 1 0 | race | bytes-one bytes-both | 1
same_bytes 2 0 | race | bytes-one bytes-both | 1
behind_notes 1 0 | race | behind-read behind-write | 2
for_ever 0 0 patience=30 | livelock | for-ever | 1
mask 1 0 | warp mask | not-in-mask | 1 | IllegalInstruction
mask 2 0 | warp mask | mask-all mask-half | 1 | LaunchFailure
mask 3 0 | warp divergence | sync not-sync | 2 | LaunchFailure
mask 4 0 | shuffle source | source | 1
mask 5 0 | warp divergence | up down | 2 | LaunchFailure
mask 7 0 | wrong use | width | 1 | IllegalInstruction
mask 6 0 | warp divergence | max | 1
out_of_bounds 1 16384 | outside global memory | read-past | 1
out_of_bounds 2 0 | outside global memory | write-before | 1
out_of_bounds 3 0 | outside shared memory | dynamic-past | 1
out_of_bounds 4 0 freed=1 | outside global memory | freed | 1
out_of_bounds 5 0 own=1 | outside shared memory | dynamic-index | 1
array_index 1 8 | outside the array | index-next | 3 | IllegalAddress
array_index 2 8 | outside the array | index-own | 1 | IllegalAddress
array_index 3 8 | outside the array | index-row | 1 | IllegalAddress
array_index 4 8 | outside the array | index-below | 3 | IllegalAddress
array_index 5 8 | outside the array | index-member | 1 | IllegalAddress
host_pointer 0 0 | outside global memory | host-argument | 1
host_pointer 1 0 | outside global memory | host-argument | 1
host_table 1 0 | outside global memory | host-table | 1
misaligned 2 0 | misaligned address | misaligned | 1
misaligned 254 0 | misaligned address | misaligned | 1
misaligned_shared 2 0 | misaligned address | misaligned-16 | 1
misaligned 4 0 input=1 | wrong use | misaligned | 1 | IllegalAddress
as_constant 1 0 | wrong use | constant-read constant-after | 1
as_constant 2 0 | wrong use | constant-read constant-before | 1
as_constant 3 0 | wrong use | constant-read constant-atomic | 2
in_lambda 1 0 | barrier divergence | lambda-odd lambda-even | 1
in_lambda 2 0 | barrier divergence | lambda-even lambda-odd | 1
in_lambda 3 0 | barrier divergence | lambda-even lambda-odd | 1
in_lambda 4 0 | barrier divergence | lambda-odd lambda-even | 1
in_lambda 5 0 | barrier divergence | lambda-odd lambda-even | 1
in_lambda 6 0 | barrier divergence | lambda-even lambda-odd | 1
in_lambda 7 0 | barrier divergence | lambda-even lambda-through | 1
in_lambda 8 0 | barrier divergence | lambda-line lambda-line | 1
unwritten 63 0 | uninitialised read | unwritten | 1
sequence 1 0 | uninitialised read | left-over | 1
tma_tile 1 0 | write before the wait | tma-write tma-load | 3
tma_tile 2 0 | copy never waited for | tma-load | 1
tma_tile 3 0 | wrong use | tma-load | 1 | MisalignedAddress
tma_tile 4 0 | no proxy fence | tma-load tma-store | 1
tma_tile 5 0 | wrong use | tma-load | 1 | IllegalAddress
tma_tile 6 0 | wrong use | tma-load | 1 | IllegalInstruction
product 0 1 | warp divergence | load-half | 1
product 0 2 | warp divergence | load-half | 1
product 0 3 | warp divergence | store-half | 1
of_registers 2 0 | barrier divergence | codes halves | 1
of_registers 3 0 | wrong use | global-lines | 1 | IllegalAddress
of_registers 4 0 | wrong use | shared-source | 1 | IllegalAddress
of_registers 5 0 | race | memory-read memory-sum | 1
of_registers 6 0 | race | memory-read memory-lines | 1
of_registers 7 0 | wrong use | own-lines | 1 | IllegalAddress
tma_tile 7 0 | outside global memory | tma-load | 1
tma_tile 8 0 | deadlock | tma-wait | 1
tma_tile 9 0 | wrong use | tma-load | 2 | IllegalInstruction
wgmma_product 2 0 | accumulator touched | mma-read mma | 1
wgmma_product 4 1 | registers of A changed | mma-change-a mma-registers | 1
wgmma_product 5 0 | no wgmma fence | mma mma-unfenced | 1
wgmma_product 3 0 | accumulator touched | mma-left mma | 1
wgmma_product 7 0 | write before the wait | mma-overwrite mma | 2
wgmma_product 8 0 | deadlock | mma | 1
wgmma_product 9 0 | wrong use | mma | 1 | IllegalAddress
wgmma_product 10 0 | warp divergence | mma mma | 1 | LaunchFailure
wgmma_product 6 1 | no wgmma fence | mma-registers mma-unfenced-a | 1
wgmma_product 1 0 | uninitialised read | mma | 2
wgmma_product 11 0 | barrier divergence | mma-even mma-odd | 1
wgmma_product 12 0 | barrier divergence | mma mma-other | 1
registers 1 0 | deadlock | registers-many | 1
registers 2 0 | wrong use | registers-fewer | 1 | IllegalInstruction
registers 3 0 | deadlock | registers registers-most | 1
registers 0 1 | deadlock | registers-most | 1
"""
BUGS = rows(BUGS) + [
    [f"reads_by_all {warp} {size}", "race", f"{name}-write all-read", "1"]
    for warp in (1, 2, 3) for size, name in ((1, "byte"), (4, "word"))] + [
    [f"wait_apart {n} 0", "deadlock", f"apart-{n} others", "1"]
    for n in range(5)] + [
    [f"wrong_use {n} 0", "wrong use", f"use-{n}", "1", error]
    for n, error in enumerate(
        ["MisalignedAddress"] * 2 + ["InvalidValue", "LaunchFailure"] +
        ["IllegalInstruction"] * 3 +
        ["", "IllegalInstruction", "IllegalInstruction"], 1)] + [
    [f"spaces {n} 0", "wrong use", f"space-{n}", "1",
     "IllegalAddress" if n in (5, 6) else "IllegalInstruction"]
    for n in range(1, 8)]

CLEAN = """
block_exchange 0 0, half_warps 0 0, bytes 0 0, counter 0 0, reads_by_all 0 1,
reads_by_all 0 4, sequence 0 0, helpers 0 0, pipeline 0 1, pipeline 0 2,
pipeline 0 5, ring 0 0, one_try 0 0, cleared 0 0, pairs 0 0, split_warps 0 0,
global_exchange 0 0, blocks_meet 0 0, blocks_meet 0 0 threads=4,
first_come 1 0, reductions 0 0, every_atomic 0 0, two_lines 64 0,
early_return 0 0, out_of_bounds 0 0, array_index 0 8, misaligned 4 0,
unwritten 64 0, mask 0 0, named_barriers 0 0, wrong_use 0 0, lanes_return 0 0,
product 0 0, tma_tile 0 0, wgmma_product 0 0,
wgmma_product 0 1, registers 0 0, registers 0 0 order=1, stmatrix_x4 0 0,
chain 0 0, chain 0 0 order=1 threads=4, sum_last 0 4, sum_last 0 100 threads=4,
locked_here 0 0, locked_here 0 0 order=1, handed_on 0 0, handed_on 0 0 order=1,
add_doubles 0 4, add_doubles 0 4 threads=4, found 0 0, found 0 0 threads=4,
same_value 0 0, early_return 1 0, host_table 0 0, spaces 0 0, as_constant 0 0,
in_lambda 0 0, same_bytes 0 0, behind_notes 0 0, of_registers -1 0,
one_try 0 0 order=2, counted_in 0 0 order=2, counted_in 0 0 order=3,
mask 0 0 order=2, mask 0 0 order=3
""".replace("\n", " ").strip().split(", ")


def misses(program, bugs, before=()):
    """What the program does not say as the table has it."""
    jobs = list(dict.fromkeys(row[0] for row in bugs))
    said = dict(zip(jobs, drive(program, jobs, before=before)))
    for job, kind, marks, count, *error in bugs:
        here, there = (marks.split() + [""])[:2]
        findings, got = said[job]["findings"], said[job]["error"]
        error = "".join(error) or ERRORS.get(kind)
        if not (any(f["kind"].startswith(kind) and is_at(f["here"], here) and
                    is_at(f["there"], there) for f in findings) and
                len(findings) == int(count) and
                got == (f"cudaError{error}" if error else "cudaSuccess")):
            yield job, kind, marks, count, error, got, said[job]["found"]


def file_of(bug):
    return Path(MARKS[bug[2].split()[0]][0]).stem


@pytest.mark.parametrize("file", sorted({*map(file_of, BUGS)}))
@pytest.mark.parametrize("program", VARIANTS)
def test_bugs_are_found(program, file):
    wrong = list(misses(program, [bug for bug in BUGS if file_of(bug) == file]))
    assert not wrong, "\n\n".join(
        "\n".join(map(str, one)) for one in wrong)


@pytest.mark.parametrize("program", VARIANTS)
def test_right_kernels_have_no_finding(program):
    for job, said in zip(CLEAN, drive(program, CLEAN)):
        assert not said["findings"] and said["error"] == "cudaSuccess", (
            job, said["error"], said["found"])


NOTES = """
chain 0 0 | flag with fences | chain-flag chain-wait
handed_on 0 0 | flag with fences | hand-flag hand-wait
add_doubles 0 4 threads=1 | compare-and-swap loop | cas cas-look
found 0 0 | same value | found found
same_value 0 0 | same value | same-one same-one
early_return 0 0 | exit past a barrier | few-meet
early_return 1 0 | exit past a barrier | few-meet
"""


@pytest.mark.parametrize("job, kind, marks", rows(NOTES))
def test_what_is_no_mistake_is_called_what_it_is(job, kind, marks):
    here, there = (marks.split() + [""])[:2]
    said = one(job)
    assert any(n["kind"] == kind and is_at(n["here"], here) and
               is_at(n["there"], there)
               for n in said["notes"]), said["found"]


def test_lanes_out_of_step_are_told_apart_from_warps():
    assert "since Volta" in one("half_warps 1 0")["found"]
    assert "since Volta" not in one("block_exchange 1 0")["found"]


def test_without_instrumentation_nothing_hangs_or_crashes():
    for job, kind, mark, error in (
            ("two_barriers 0 0", "deadlock", "wait-for-all", "LaunchTimeout"),
            ("spin 1 0 patience=100", "livelock", "spin", "LaunchTimeout"),
            ("for_ever 0 0 patience=100", "livelock", "for-ever",
             "LaunchTimeout"),
            ("crash 0 0", "outside global memory", "nobody-has",
             "IllegalAddress"),
            ("crash 1 0", "wrong use", "large-stack", "IllegalAddress"),
            ("below_own 0 0", "outside global memory", "below-own",
             "IllegalAddress"),
            ("misaligned_shared 2 0", "misaligned address",
             "misaligned-16", "MisalignedAddress"),
            ("misaligned 4 0 input=1", "wrong use", "misaligned",
             "IllegalAddress")):
        said = one(job, "driver_plain")
        assert said["error"] == f"cudaError{error}"
        assert [f["kind"] for f in said["findings"]] == [kind]
        assert is_at(said["findings"][0]["here"], mark), said["found"]


def test_nothing_is_checked_unless_asked():
    for checks, findings, loads in (0, 0, 0), (1, 1, 0), (2, 0, 1):
        said = drive("driver", [f"helpers 1 0 checks={checks}"], "--counts")[0]
        assert len(said["findings"]) == findings
        assert said["total"]["shared_loads"] == loads


def test_other_orders_find_more():
    def found(order):
        return bool(one(f"first_come 1 0 order={order}")["findings"])
    assert (found(0), found(1)) == (0, 1)
    seeds = [found(order) for order in range(2, 14)]
    assert 1 <= sum(seeds) < len(seeds)
    assert seeds == [found(order) for order in range(2, 14)]


def test_every_block_has_its_turn_in_any_order():
    jobs = [(blocks, order) for blocks in range(1, 61) for order in range(6)]
    for (blocks, order), said in zip(jobs, drive("driver", [
            f"sum_last 0 {blocks} order={order}" for blocks, order in jobs])):
        assert said["words"][0] == 64 * blocks
        assert not said["findings"], (blocks, order)


def test_what_kernels_compute_where_no_gpu_was_asked():
    """Many atomics: more than a loop that gets nowhere may go round. Lanes that
    have returned are not waited for. A fragment that nobody has filled counts
    for no number."""
    said = drive("driver", [
        "many_atomics 30000 0", "lanes_return 0 0", "pair_atomics 0 0",
        "unfilled 0 0", "unfilled 1 0", "unfilled 2 0", "unfilled 3 0"])
    assert said[0]["words"][0] == 32 * 30000 and not said[0]["findings"]
    assert said[1]["words"][:20] == [lane ^ 1 for lane in range(20)]
    assert [w & 0xffffffff for w in said[2]["words"][:4]] == [
        0x3e006800, 0xbf004380, 0x42800000, 0x41800000]  # 64.0, 16.0
    for its in said[3:6]:
        assert all(w & 0x7fffffff > 0x7f800000 for w in its["words"])
    assert said[6]["words"] == [0x41800000] * 32  # 16.0


def test_a_story_does_not_depend_on_the_schedule():
    for threads in 1, 2, 4, 4, 4:
        finding, = one(f"sequence 1 0 threads={threads}")["findings"]
        assert re.fullmatch(r"first in block \(1, 0, 0\), .*; seen 256 times",
                            finding["seen"])


def test_a_tensor_map_is_checked():
    good, *bad = drive("driver", [f"bad_map {n} 0" for n in range(8)])
    assert good["error"] == "cudaSuccess"
    assert {b["error"] for b in bad} == {"cudaErrorInvalidValue"}


def test_a_launch_keeps_to_its_bounds():
    few, many = drive("driver", ["bounded 64 0", "bounded 96 0"])
    assert few["error"] == "cudaSuccess" and few["words"][0] == 1
    assert many["error"] == "cudaErrorInvalidValue" and not many["words"][0]


def test_who_waits_for_what():
    for job, waiters in (
            ("two_barriers 0 0", [
                ("warp 0", "__syncthreads(): 32 of 64 threads", "wait-for-all"),
                ("warp 1", "named barrier 1: 32 of 64 threads",
                 "wait-for-some")]),
            ("ring 2 0", [
                ("warp 0", "empty + 0, phase 0: 0 of 32 arrivals", "refill"),
                ("warp 1", "full + 0, phase 0: 32 of 33 arrivals", "wait")]),
            ("tma_tile 8 0", [
                ("warps 0 and 1", "full + 0, phase 0: 1 of 1 arrivals, 6,144 "
                 "of 6,128 bytes", "tma-wait")])):
        finding, = one(job)["findings"]
        for (at, calls, *told), (*wanted, mark) in zip(
                finding["waiters"], waiters, strict=True):
            assert told == wanted
            assert str(MARKS[mark][1]) in (at, *calls.split(", "))
