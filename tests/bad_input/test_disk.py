"""A folder for results that cannot be written is noticed before the work; a
full disk destroys no older result; and what it has cut off while building is
neither kept nor believed."""

import pytest

COUNT = ("build/instrumented/stage0_scalar/default/program count --shape small "
         "--json ")
TIMELINE = ("tools/timeline/timeline.py cpu stage2_wmma_pv/default none "
            "--shape small ")
PEERS = "python3 tools/peers/peers.py run {} commit none.so"
CHECK = "stage0 check TARGET=cpu SHAPES=small SEEDS=0"


@pytest.fixture(scope="module")
def disk(tree):
    """`file` is none to write into, `taken` has a folder of a file's name."""
    tree.environment = {"PYTHONPATH": ".", "PYTHONDONTWRITEBYTECODE": "1"}
    tree.make("build/cpu/floor/program "
              "build/cpu/stage2_wmma_pv/default/timeline")
    tree.run("mkdir -p taken/stage0_scalar.count.json; : >file")
    tree.write("torch.py", 'raise SystemExit("the work has begun")')
    return tree


def full(kilobytes, command):
    """As on a full disk: no file may grow beyond this."""
    return ["bash", "-c", f"trap '' XFSZ; ulimit -f {kilobytes}; {command} "
            "2>&1 | cat; exit ${PIPESTATUS[0]}"]


@pytest.mark.parametrize("command, says", [
    (COUNT + "file/x", "file/x/stage0_scalar.count.json: Not a directory"),
    (COUNT + "taken", "taken/stage0_scalar.count.json: it is a folder"),
    (full(1, COUNT + "new/folder"), "count.json: File too large"),
    (TIMELINE + "--json file", "file/stage2_wmma_pv.timeline.json: "),
    (TIMELINE + "--trace file", "file/stage2_wmma_pv.small.trace.json: "),
    ("tools/tune/tune.py stage0_scalar file", "stage0_scalar.tune.json: "),
    ("build/cpu/floor/program measure file commit", "file/floor.json: "),
    (PEERS.format("file"), "file/peers.json: "),
])
def test_noticed_before_the_work(disk, command, says):
    said = disk.ends(command, 3, "Cannot write ", says)
    assert len(said.splitlines()) == 1, said
    assert not disk.exists("new"), "a folder is left behind"


def test_what_can_be_written_is(disk):
    disk.ends(COUNT + "good/folder", 0, "wrote good/folder/stage0_scalar.count")
    disk.ends(PEERS.format("good/folder"), 1, "the work has begun")


@pytest.mark.parametrize("kilobytes", [1, 6])  # before the work, and after it
def test_the_old_result_stays_whole(disk, kilobytes):
    old = disk.write("old/stage0_scalar.count.json", "old\n")
    disk.ends(full(kilobytes, COUNT + "old"), 3, "Cannot write old/")
    assert old.read_text() == "old\n"
    assert list(old.parent.iterdir()) == [old], "a file lies beside it"


# ---- while building ----

def test_no_object_without_its_kernels_hash(disk):
    built = "build/cpu/stage0_scalar/default/object.o"
    disk.run(f"rm {built}")
    disk.run("mv tools/results/kernel_hash.py aside")
    disk.script("tools/results/kernel_hash.py", "echo no hash >&2; exit 1\n")
    disk.make(f"{built}", 2, "no hash")
    disk.run("mv aside tools/results/kernel_hash.py")
    assert not disk.exists(built)


def test_a_full_disk_while_building(disk):
    """Headers, then objects, then programs have no room; then all have."""
    disk.run("rm -r build/tools build/simt-include/cuda_fp8.hpp "
             "build/cpu/stage0_scalar build/cpu/harness/results.o")
    for kilobytes, words in (100, "File too large"), (600, "link failed"):
        disk.ends(full(kilobytes, f"make {CHECK}"), 2, words, CCACHE_DISABLE=1)
    disk.make(CHECK, 0, "passed")


def test_a_list_of_headers_that_is_cut_off(disk):
    path = "build/cpu/stage0_scalar/default/driver.d"
    text = disk.read(path)
    for cut_off in (text[:text.index("harness") + 4],
                    text + "common/harness/sta"):
        disk.write(path, cut_off)
        disk.make("stage0 TARGET=cpu", 0, "built")
