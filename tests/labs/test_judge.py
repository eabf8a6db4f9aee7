"""A grade runs other people's programs within limits, and believes no output
that is not there."""

import pytest

JUDGED = "build/cpu/stage2_wmma_pv/default"
CASES = "small/normal/7/2 1,2,17,64/zero-head/8/8"


@pytest.fixture(scope="module")
def program(tmp_path_factory, root):
    path = tmp_path_factory.mktemp("own") / "own"
    root.write(f"{path}.c", """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  switch (*argv[argc - 1]) {
  case 'm': memset(malloc(400 << 20), 1, 400 << 20); sleep(5); return 0;
  case 'l': for (;;) {}
  case 's': *(volatile int *)8 = 1;
  case 'f': if (!fork()) sleep(60); usleep(50000); return 0;
  case 'g': if (!fork()) { setsid(); sleep(60); } usleep(50000); return 0;
  }
  return 7;
}
""")
    root.ends(f"gcc -O0 -w -o {path} {path}.c")
    return path


@pytest.mark.parametrize("letter, how", [
    ("m", "memory 0"), ("l", "time 0"), ("s", "signal 11"), ("x", "code 7"),
    ("f", "others 1 0"), ("g", "others 1 0")])
def test_how_it_ended(root, program, letter, how):
    limited = f"build/tools/limited 1 200 {program}.log {program}"
    assert root.ends(f"{limited} {letter}") == how + "\n"


def test_what_it_says_goes_into_a_file(root, tmp_path):
    limited = f"build/tools/limited 1 200 {tmp_path}/log"
    root.ends(f"{limited} sh -c 'echo so >&2'", 0, never="so")
    assert root.read(tmp_path / "log") == "so\n"


def test_outputs(root, tmp_path):
    outputs, result = tmp_path / "outputs", tmp_path / "result"
    judge = f"{JUDGED}/judge {outputs} {result}"
    root.ends(f"build/tools/draw {tmp_path}/inputs {CASES}")
    root.ends(f"{JUDGED}/attempt {tmp_path}/inputs {outputs}")
    root.ends(f"{judge} {CASES}")
    assert root.json(result)["all_passed"] and root.json(result)["cases"] == 2
    root.ends(f"{judge} small/normal/9/2 small/normal/10/2", 1, "2 FAILED")
    whole = outputs.read_bytes()
    for size in 0, 100, 3000, len(whole) - 2:
        outputs.write_bytes(whole[:size])
        root.ends(f"{judge} {CASES}", 1, "ended before this output")
    root.ends(f"head -c 100 {tmp_path}/inputs >{tmp_path}/cut; "
              f"{JUDGED}/attempt {tmp_path}/cut {outputs}", 3, "cut off")


def test_inputs_that_cannot_be_written(root, tmp_path):
    root.ends("build/tools/draw /nowhere/x small/normal/7/2", 3, "/nowhere/x")
    root.ends(["bash", "-c", f"trap '' XFSZ; ulimit -f 1; build/tools/draw "
               f"{tmp_path}/inputs mission/normal/7/2"], 3, "cannot be written")
