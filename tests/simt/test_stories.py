"""What a reader sees of a finding: where, who, and which calls led there; of a
kernel that hangs, who waits for what."""

import pytest

from simt.driver import KERNELS, MARKS, is_at, one


def line(mark):
    return MARKS[mark][1]


def source(mark):
    file, number = MARKS[mark]
    return (KERNELS.parents[2] / file).read_text().splitlines()[
        number - 1].strip()


def test_a_deadlock_as_a_table():
    everyone, some = line("wait-for-all"), line("wait-for-some")
    assert one("two_barriers 0 0")["found"] == f"""\
deadlock: 32 threads wait in __syncthreads(), 32 in a named barrier, for ever
  here  tests/simt/kernels/stops.cu:{everyone}, thread 0
        __syncthreads(); // @wait-for-all
  there tests/simt/kernels/stops.cu:{some}, thread 32
        named_barrier_sync(1, 64); // @wait-for-some
  line {everyone}, warp 0: waits for __syncthreads(): 32 of 64 threads
  line {some}, warp 1: waits for named barrier 1: 32 of 64 threads
  first in block (0, 0, 0); seen 1 time
1 finding
"""


@pytest.mark.parametrize("bug, call, read, place", [
    (1, "put-one", "read-one", 124), (2, "put-other", "read-other", 252)])
def test_a_finding_names_the_calls(bug, call, read, place):
    """Of a line that several calls reach, a reader wants to know which did."""
    assert one(f"helpers {bug} 0")["found"] == f"""\
race: a read after a write, with no __syncwarp() between two lanes of one \
warp: since Volta they need not run in step
  here  tests/simt/kernels/races.cu:{line(read)}, thread 0
        {source(read)}
  there tests/simt/kernels/races.cu:{line("put")}, thread 31
        tile[threadIdx.x] = value; // @put
        called in line {line(call)}: {source(call)}
        called in line {line("put-two")}: put_two(tiles); // @put-two
  first in block (0, 0, 0), at tiles + {place}; seen 32 times
1 finding
"""


def test_waiters_name_the_calls():
    said = one("too_few 0 0")
    calls = [line("meet-all"), line("too-few")]
    assert (f"  line {line('meet')} (called in {calls[0]}, {calls[1]}), warp 0:"
            " waits for named barrier 2: 32 of 64 threads\n") in said["found"]
    assert said["findings"][0]["here"]["calls"] == calls


@pytest.mark.parametrize("where, waits_in", list(enumerate([
    "a vote", "a reduction", "__syncwarp()", "a shuffle", "a matrix product"])))
def test_a_deadlock_says_in_what_threads_wait(where, waits_in):
    assert waits_in in one(f"wait_apart {where} 0")["findings"][0]["sentence"]


@pytest.mark.parametrize("job, says", [
    ("tma_tile 5 128", "full + 0 still lacks 16 bytes"),
    ("tma_tile 13 128", "has got 16 bytes too many"),
    ("one_try 1 0", "may say false at any time")])
def test_a_sentence_names_the_cause(job, says):
    assert says in one(job)["found"]


def test_memory_that_is_in_no_variable():
    finding = one("no_dynamic 0 0")["findings"][0]
    assert finding["where"] == "shared memory, in no variable"


def test_who_waits_for_an_mbarrier():
    for job, waiters in (
            ("ring 5 0", [
                ("warp 0", "empty + 0, phase 0: 0 of 32 arrivals", "refill"),
                ("warp 1", "full + 0, phase 0: 32 of 33 arrivals", "wait")]),
            ("tma_tile 13 128", [
                ("warps 0 and 1", "full + 0, phase 0: 1 of 1 arrivals, 6,144 "
                 "of 6,128 bytes", "tma-wait")])):
        finding, = one(job)["findings"]
        assert [(w["who"], w["what"]) for w in finding["waiters"]] == [
            w[:2] for w in waiters]
        assert all(is_at(w["here"], mark) for w, (_, _, mark) in
                   zip(finding["waiters"], waiters))
