"""`make race` finds what a learner may get wrong with barriers, waits, fences
and copies, and finds nothing in the stages as they are."""

import pytest

from support import ROOT, STAGES, folder_of, run

pytestmark = pytest.mark.apart
LIST = "tests/races/planted.list"
PLANT = ROOT / "tests/races/plant.py"

# The rings of the later stages go round. With the mask and three heads stage
# 16 skips tiles in a wide block, turns its order, and chooses a low block,
# too. Stage 17 puts sums away from 897 keys on.
RING, HEADS = ["1,1,600,64"], ["1,1,600,64", "1,4,130,64"]
MASKED = ["1,3,333,128,causal", "1,3,513,128,causal"]
LOW = "1,3,390,128,causal"
SHAPES = {
    6: ["1,1,230,64"], 7: ["1,1,230,64"], 8: RING, 9: RING, 10: HEADS,
    11: HEADS, 12: HEADS, 13: ["1,1,900,64"], 14: ["1,1,900,64"],
    15: ["1,1,900,64", *MASKED], 16: [*RING, *MASKED, LOW],
    17: ["1,1,1301,64,causal", MASKED[1], LOW]}

# For what is removed: stages 8 and 9 split 256 keys a step; from stage 10 on
# the ring holds at most four tiles of 128, so of 900 keys every slot that is
# given back is filled again.
FEW = ["1,1,97,64", "1,2,230,64"]
LAPS = ["1,2,900,64"]
REMOVED_SHAPES = {
    8: [*FEW, "1,1,600,64"], 9: [*FEW, "1,1,600,64", "1,1,600,128"],
    10: LAPS, 11: LAPS, 12: LAPS, 13: LAPS, 14: LAPS,
    15: [*LAPS, MASKED[0]], 16: [*LAPS, *MASKED, LOW],
    17: [*LAPS, *MASKED, LOW]}

# The settings that compile a place, where the default does not.
SETTINGS = {
    1: {"table": "USE_KV_LUT=1"},
    2: {"scalar-p-times-v": "USE_WMMA_PV=0"},
    3: {"main-loop": "USE_SPLIT_KEYS=1",
        "load-kv: named_barrier": "USE_SPLIT_KEYS=1",
        "unfused-softmax: __syncwarp": "USE_FUSED_SOFTMAX=0 REUSE_SCORES=1",
        "unfused-softmax": "USE_FUSED_SOFTMAX=0",
        "end-of-step: named_barrier": "USE_SPLIT_KEYS=1",
        "normalise: 2nd": "USE_FUSED_SOFTMAX=0"},
    5: {"hand-over: 1st mbarrier": "USE_MBARRIER=1",
        "hand-over: 2nd mbarrier": "USE_MBARRIER=1",
        "hand-over: __syncthreads": "USE_MBARRIER=1",
        "load-q": "USE_MBARRIER=1",
        "produce: named_barrier": "USE_PERSISTENT_CTA=1",
        "item-done": "USE_PERSISTENT_CTA=1",
        "first-copy": "USE_WARP_SPECIALIZATION=0",
        "load-kv: __": "USE_WARP_SPECIALIZATION=0",
        "end-of-step: __sync": "USE_WARP_SPECIALIZATION=0"},
    6: {"widen-tile": "USE_REGISTER_WIDENING=0",
        "store-p": "USE_P_REGISTERS=0"},
    14: {"turns": "USE_PING_PONG=1",
         "first-step: await_turn": "USE_PING_PONG=1",
         "first-step: pass_turn": "USE_PING_PONG=1",
         "overlapped: await_turn": "USE_PING_PONG=1",
         "overlapped: pass_turn": "USE_PING_PONG=1",
         "in-turn: await_turn": "USE_OVERLAP=0 USE_PING_PONG=1",
         "in-turn: pass_turn": "USE_OVERLAP=0 USE_PING_PONG=1",
         "in-turn": "USE_OVERLAP=0",
         "last-values: await_turn": "USE_PING_PONG=1"}}

NOT_NEEDED = {
    # The groups still open are empty ones: chapter 12.
    8: ["put-down: __pipeline_wait_prior"],
    9: ["put-down: __pipeline_wait_prior"],
    # Either of the two waits waits for all groups; no tile comes after the
    # last; turns order when products start, not what they read.
    14: ["in-turn: 1st wgmma_wait", "in-turn: 2nd wgmma_wait",
         "last-values: release", "last-values: await_turn"],
    # A block that splits keys has one tile of rows.
    16: ["combine: 2nd named_barrier_sync"],
    17: ["combine: 2nd named_barrier_sync"]}


def number_of(stage):
    return int(stage[len("stage"):].split("_")[0])


def raced(tree, stage, shapes, settings=""):
    return tree.run(f"make {stage} race TARGET=cpu {settings} "
                    f'SHAPES="{" ".join(shapes)}"')


def kernel_with(tree, stage, *command):
    """Puts there what `plant` makes of the kernel in the tree at hand."""
    planted = run([PLANT, *command])
    assert planted.code == 0, planted.text
    tree.write(f"{folder_of(stage)}/kernel.cu", planted.text)


def shapes_of(stage):
    return ["small", *SHAPES.get(number_of(stage), ["1,1,97,64"])]


@pytest.mark.drawn(3)
@pytest.mark.takes(15)
@pytest.mark.parametrize("stage, name", [
    [field.strip() for field in line.split("|")[:2]]
    for line in (ROOT / LIST).read_text().splitlines() if line[:1] == "s"])
def test_a_planted_mistake_is_named_with_both_lines(fresh_tree, stage, name):
    """One shape that hangs or fails keeps no other from its turn."""
    tree, shapes = fresh_tree, shapes_of(stage)
    tree.only_stage(stage)
    kernel_with(tree, stage, "kernel", LIST, stage, name)
    ran = raced(tree, stage, shapes)
    assert ran.code != 0
    assert all(f"\n{shape}: " in ran.text for shape in shapes), ran.text
    tree.write("said", ran.text)
    tree.ends([PLANT, "found", LIST, stage, name,
               f"{folder_of(stage)}/kernel.cu", "said"])


@pytest.mark.drawn(2)
@pytest.mark.takes(10)
@pytest.mark.parametrize("stage", STAGES)
def test_no_race_in_any_order_of_warps_and_blocks(fresh_tree, stage):
    fresh_tree.only_stage(stage)
    ran = raced(fresh_tree, stage, ["odd", *shapes_of(stage)])
    assert ran.code == 0 and ": 0 findings" in ran.text, ran.text


@pytest.mark.slow
@pytest.mark.takes(40)
@pytest.mark.parametrize("stage", STAGES)
def test_no_race_at_any_shape(fresh_tree, stage):
    fresh_tree.only_stage(stage)
    fresh_tree.make(f"{stage} race TARGET=cpu", 0, "0 findings")


@pytest.mark.slow
@pytest.mark.takes(300)
@pytest.mark.parametrize("stage", STAGES)
def test_each_barrier_wait_and_fence_is_needed(fresh_tree, stage):
    """Removed alone it leaves something to find."""
    tree, number = fresh_tree, number_of(stage)
    tree.only_stage(stage)
    kernel = f"{folder_of(stage)}/kernel.cu"
    silent = []
    places = run([PLANT, "sites", kernel]).text.splitlines()
    assert places
    for place in places:
        settings = next((s for beginning, s in SETTINGS.get(number, {}).items()
                         if place.startswith(beginning)), "")
        kernel_with(tree, stage, "edit", kernel, place, "empty")
        ran = raced(tree, stage, ["small", *REMOVED_SHAPES.get(number, FEW)],
                    settings)
        assert ran.code == 0 or "finding" in ran.text, ran.text
        if ran.code == 0:
            silent.append(place)
    assert silent == NOT_NEEDED.get(number, [])


@pytest.mark.takes(20)
def test_a_mistake_to_try_as_chapter_3_shows(fresh_tree):
    tree = fresh_tree
    tree.ends(["tests/races/try.py", "the last tile not waited for"], 1,
              "read before the wait", f"{folder_of(STAGES[1])}/kernel.cu:")
    tree.ends("tests/races/try.py", 0, "no warp sync after P")
    tree.ends("tests/races/try.py nothing", 2, "No such mistake")
