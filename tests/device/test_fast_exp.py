"""Chapter 9 says what the constants of our first fast_exp did to stage 5: its
relative error was below 1e-4, but it was not 1 at 0."""

import tempfile

import pytest

from support import copy, stage

SHOWN = "chapters/output/stage5-old-fast-exp.txt"
HEADER = "common/device/math/fast_exp.cuh"
FIRST = {"0.05500876f": "0.055838283f", "0.24221139f": "0.24263948f",
         "0.69328302f": "0.69313675f", "f + 1.0f": "f + 0.99992454f"}


def what_it_did(tree):
    tree.only_stage(stage(5))
    tree.run(f"cp {HEADER} new")
    for now, first in FIRST.items():
        tree.edit(HEADER, now, first)
    said = tree.ends(f"diff new {HEADER}", 1)
    tree.make("-s stage5 USE_FAST_EXP=1 TARGET=cpu")
    for shape, code in ("mission", 0), ("1,1,2048,64", 2):
        said += tree.ends(
            "make -s stage5 check USE_FAST_EXP=1 DISTRIBUTIONS=normal "
            f"SHAPES={shape} TARGET=cpu 2>make.said", code)
    return said.rstrip("\n") + "\n"


@pytest.mark.slow
def test_the_first_fast_exp_fails_where_errors_add_up(fresh_tree):
    fresh_tree.write("said", what_it_did(fresh_tree))
    # The first line that is shown is a command.
    fresh_tree.ends(f"tail -n +2 {SHOWN} >shown; "
                    "book/refresh_output.py mask <said | diff shown -")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(what_it_did(copy(folder + "/tree")), end="")
