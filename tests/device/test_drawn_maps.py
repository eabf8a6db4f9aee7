"""What the book draws of registers and of shared memory is what the kernels do
now."""

import re

import pytest

from device import maps

# Of the drawing: the middle of its first cell, and how far apart cells are; and
# the lane whose cells name their elements.
LEFT, TOP, ACROSS, DOWN, MARKED = 270, 85, 54, 26, "5"
DRAWING = "chapters/figures/stage3-lanes.svg"


@pytest.mark.parametrize("its", [maps.fragments, maps.layouts])
def test_the_record_is_what_the_kernels_do_now(root, its):
    assert its() == root.json(f"results/{its.__name__}.json")


def test_the_drawing_shows_that(root):
    shown = {(float(x), float(y)): text for x, y, text in re.findall(
        r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>',
        root.read(DRAWING))}
    held = root.json("results/fragments.json")["maps"]["accumulator"]
    for row in range(16):
        for pair in range(8):
            (lane, one), (other, two) = (
                cell.split() for cell in held[row][2 * pair:2 * pair + 2])
            wanted = (lane if lane != MARKED
                      else f"{one[1:]}, {two[1:]}")
            drawn = shown.get((LEFT + pair * ACROSS, TOP + row * DOWN))
            assert lane == other and drawn == wanted, (row, 2 * pair)
