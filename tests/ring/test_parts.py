"""What of stage18_ring needs no MPI: the sentence without it, a plan that
computes a pair twice or never, a rank that is blamed for another's fault, a
model that misjudges."""

import ctypes
import math
from ctypes import byref, c_bool, c_char, c_double, c_int, c_int64

import pytest

from support import folder_of, run

RING = folder_of("stage18_ring")
RANKS, LENGTHS = range(1, 10), (1, 2, 3, 7, 16, 17, 18, 35, 36, 37, 59, 61)


def structure(**fields):
    return type("Fields", (ctypes.Structure,),
                {"_fields_": list(fields.items())})


Plan = structure(ranks=c_int, seq_len=c_int64, causal=c_bool)
Chunk = structure(begin=c_int64, rows=c_int64)
Block = structure(source=c_int, query=c_int64, queries=c_int64, key=c_int64,
                  keys=c_int64, causal=c_bool, first=c_bool, done=c_int64)
Model = structure(
    step_us=c_double * 2 * 3, merge_row_ns=c_double, message_row_bytes=c_double,
    message_bytes=c_double, latency_us=c_double, bytes_a_us=c_double,
    network_latency_us=c_double, network_bytes_a_us=c_double,
    ranks_a_machine=c_int)
Report = structure(kind=c_int, progress=c_int64, processor_seconds=c_int64,
                   what=c_char * 96, heard=c_double, moved=c_double,
                   gone=c_bool)
WORKS, WAITS, DEVICE = range(3)


@pytest.fixture(scope="module")
def ring(tmp_path_factory):
    path = tmp_path_factory.mktemp("ring") / "ring.so"
    built = run(
        "${CC:-gcc} -std=gnu11 -shared -fPIC -fsanitize=undefined "
        f"-fsanitize-undefined-trap-on-error -I. -o {path} "
        f"{RING}/ring/plan.c {RING}/ring/model.c {RING}/ranks/watchdog.c "
        "common/harness/program.c -lm")
    assert built.code == 0, built.text
    ring = ctypes.CDLL(str(path))
    for name, result in (("plan_rows", c_int64), ("plan_position", c_int64),
                         ("plan_most_rows", c_int64), ("plan_chunk", Chunk),
                         ("plan_block", Block), ("model_ring_us", c_double),
                         ("verdict_all_well", c_bool)):
        getattr(ring, name).restype = result
    return ring


def test_without_mpi(tree, tmp_path):
    """All programs of this machine but for mpicc and mpirun."""
    (tmp_path / "bin").mkdir()
    tree.run(f"cd {tmp_path}/bin && IFS=:; for f in $PATH; do "
             "ln -s $f/* . 2>/dev/null; done; rm -f mpi*")
    for goal in "stage18 check RANKS=3 TARGET=cpu", "lab18 grade":
        tree.make(goal, 2, "needs MPI", "setup.sh cluster", "Error 3",
                  PATH=f"{tmp_path}/bin")


# ---- the plan ----

def positions(ring, plan, rank):
    return [ring.plan_position(byref(plan), rank, c_int64(row))
            for row in range(ring.plan_rows(byref(plan), rank))]


def blocks(ring, plan, rank):
    return [ring.plan_block(byref(plan), rank, step)
            for step in range(plan.ranks)]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("ranks", RANKS)
def test_every_row_and_every_pair_once(ring, ranks, causal):
    for length in LENGTHS:
        plan = Plan(ranks, length, causal)
        rows = [positions(ring, plan, rank) for rank in range(ranks)]
        assert all(list(own) == sorted(own) for own in rows)
        assert sorted(sum(rows, [])) == list(range(length))
        assert max(map(len, rows)) <= ring.plan_most_rows(byref(plan))
        sizes = [ring.plan_chunk(byref(plan), rank, which).rows
                 for rank in range(ranks) for which in (0, 1)]
        assert max(sizes) - min(sizes) <= 1
        seen = []
        for rank in range(ranks):
            first_and_last(blocks(ring, plan, rank), len(rows[rank]))
            for step, b in enumerate(blocks(ring, plan, rank)):
                assert b.source == (rank - step) % ranks
                own = rows[rank][b.query:b.query + b.queries]
                keys = rows[b.source][b.key:b.key + b.keys]
                assert (len(own), len(keys)) == (b.queries, b.keys)
                assert not b.causal or b.queries == b.keys
                seen += [(row, key) for i, row in enumerate(own)
                         for key in (keys[:i + 1] if b.causal else keys)]
        assert sorted(seen) == [
            (row, key) for row in range(length)
            for key in range(row + 1 if causal else length)]


def first_and_last(steps, rows):
    """What merges rely on: step 0 has every row, the first merge of a row says
    so, and no row is merged into after it was said to be done."""
    parts, done = [0] * rows, [False] * rows
    assert steps[0].queries == rows
    for step, b in enumerate(steps):
        for i, row in enumerate(range(b.query, b.query + b.queries)):
            assert not done[row]
            assert step == 0 or b.first == (parts[row] == 1)
            parts[row] += 1
            done[row] = i < b.done
    assert all(done)


@pytest.mark.parametrize("ranks", RANKS)
def test_under_the_mask_all_ranks_have_the_same_work(ring, ranks):
    work = [sum(b.queries * (b.queries + 1) // 2 if b.causal else
                b.queries * b.keys
                for b in blocks(ring, Plan(ranks, 4096, True), rank))
            for rank in range(ranks)]
    assert max(work) - min(work) <= max(work) // 100


# ---- the model of a ring's time, where the answer is plain ----

def time_of(ring, ranks, causal=False, card=1e6, slowdown=1, **more):
    """A link that costs nothing, and one card that takes a second; a message is
    a byte a row."""
    model = Model(bytes_a_us=math.inf, network_bytes_a_us=math.inf,
                  message_row_bytes=1, ranks_a_machine=8)
    step = card / ranks**2
    for kind in model.step_us:
        kind[:] = step, slowdown * step
    for name, value in more.items():
        setattr(model, name, value)
    return ring.model_ring_us(byref(model), byref(Plan(ranks, 1 << 20, causal)))


def test_the_model(ring):
    def near(right, *words, **more):
        assert time_of(ring, *words, **more) == pytest.approx(right, rel=1e-3)
    for causal in False, True:
        for ranks in 1, 2, 4, 8, 16, 32, 64:
            near(1e6 / ranks, ranks, causal)
    # The last keys come after P - 1 exchanges, one behind the other.
    near(3 * (100 + (1 << 18) / 1024), 4, card=1e-3, latency_us=100,
         bytes_a_us=1024)
    # An exchange that takes a step's time is seen, one that is shorter not.
    step = 4 * (1 << 18) / 1e6
    assert time_of(ring, 4, bytes_a_us=step) > 0.26e6
    near(0.25e6, 4, bytes_a_us=16 * step)
    # Machines, merges, and computing beside messages
    far = {"card": 1e-3, "network_latency_us": 50}
    assert time_of(ring, 8, **far) < 1 and time_of(ring, 16, **far) > 49
    near(0.5e6 + 1e-3 * (1 << 19), 2, merge_row_ns=1)
    near(0.25e6 * 1.1 + 0.25e6, 2, slowdown=1.1)
    # Whose keys: 1 own, 2 of earlier ranks, 4 of later ones. The last rank has
    # earlier ones only, the first later ones, and waits for none of them.
    kinds = (c_double * 2 * 3)((1, 1), (2, 2), (4, 4))
    near(1 + 3 * 4, 4, step_us=kinds)


# ---- who is blamed, and when ----

@pytest.fixture
def ranks(ring):
    """Three ranks that are heard of at 100 seconds: functions that let one
    speak, and that ask for a verdict."""
    known = (Report * 3)(*[Report(heard=100, moved=100)] * 3)
    why = ctypes.create_string_buffer(1024)

    def say(kinds, progress, now):
        for rank, kind in enumerate(kinds):
            if kind is not None:
                ring.verdict_heard(byref(known[rank]), byref(Report(
                    kind=kind, progress=progress,
                    what=f"step {progress} of {rank}".encode())), c_double(now))

    def verdict(now):
        well = ring.verdict_all_well(known, 3, c_double(now), why)
        return "" if well else why.value.decode()
    return say, verdict


def test_who_gets_on_is_well(ranks):
    say, verdict = ranks
    for i in range(1, 100):
        say([DEVICE] * 3, i, 100 + 5 * i)
        assert not verdict(101 + 5 * i)
    # One works for long while the others wait, as long as it gets on.
    for i in range(50):
        say([WAITS, None, WAITS], 1, 600 + 4 * i)
        say([None, WORKS, None], 200 + i, 600 + 4 * i)
        assert not verdict(601 + 4 * i)


@pytest.mark.parametrize("kinds, says, never", [
    ([WAITS, DEVICE, WORKS],
     "rank 2 (step 1 of 2) does not get on since 15 seconds", "rank 1"),
    ([WAITS, DEVICE, WAITS], "rank 1 (step 1 of 1) does not get on", "rank 2"),
    ([WAITS] * 3, "rank 0 (step 1 of 0), rank 1 (step 1 of 1), rank 2", "none"),
])
def test_the_one_that_hangs_is_blamed(ranks, kinds, says, never):
    say, verdict = ranks
    for now in range(101, 126, 4):
        say(kinds, 1, now)
    said = verdict(126)  # within 30 seconds, with what a watchdog needs itself
    assert says in said and never not in said
