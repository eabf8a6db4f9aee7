"""What goes wrong between a program's kernels, its streams and its host shows
in no kernel alone. Each program of tests/simt/programs has a main of its own,
runs to its end, and says there what was wrong, with both lines, and what was
not looked at."""

import re

import pytest

from simt.driver import MARKS, PROGRAMS, rows
from support import Tree

# program, bug | what is said | line | the other one
SAID = """
two_streams 1 | race of streams: get in stream 2 reads what put in stream 1 \
writes | host-get | host-put
two_streams 2 | race of streams | host-get | host-put
two_streams 3 | race of streams: get in stream 1 reads what put in the default \
stream | host-get | host-put
copies 1 | race with the host: the host reads | host-early | host-copy-back
copies 2 | race with the host: the host writes | host-late | host-copy-to
managed 1 | race with the host: the host reads | managed-read | host-put
wrong_side 1 | device memory on the host | wrong-side |
refused 1 | launch error: count did not run: invalid conf | too-many |
refused 2 | launch error: count did not run: invalid arg | too-much |
unwritten 1 | uninitialised read: a read of global | host-get |
unwritten 2 | uninitialised read: a copy of 256 bytes | unwritten-copy |
tma 2 | race of streams: load in the default stream reads what codes in stream \
1 | program-load | program-codes
tma 3 | uninitialised read: a TMA load | program-load |
tma 6 | outside global memory: TMA takes its map from host | program-load |
cached 1 | wrong use: __ldg() and its like load | cached-load |
cached 2 | wrong use: __ldg() and its like load | cached-store |
"""
NOTED = """
refused 4 | failed call: cudaMemcpy() has returned "invalid | fails
two_streams 5 | cudaMemset not waited for: put in stream 1 | host-put
neighbours 1 | two variables: this instruction also uses | host-smooth
padding 0 | unwritten padding: a copy of 512 bytes | padding
"""
RIGHT = ["two_streams 0", "two_streams 4", "copies 0", "managed 0",
         "wrong_side 0", "refused 0", "refused 3", "unwritten 0", "tma 0",
         "neighbours 0", "cached 0"]


def ends(job, code, *says):
    return Tree().ends(f"{PROGRAMS}/program {job}", code, "Not checked: ",
                       *says)


def places(text):
    """The lines of a report's first finding: here, and there."""
    found = re.findall(r"^  (here |there) (\S+):(\d+)", text, re.M)
    return [(file, int(line)) for _, file, line in found]


def is_near(place, mark):
    """A call of several lines is one place: its first line, or the last."""
    file, line = MARKS[mark]
    return place[0] == file and line - 1 <= place[1] <= line


@pytest.mark.parametrize("job, text, here, there", rows(SAID))
def test_a_program_says_what_is_wrong(job, text, here, there):
    said = ends(job, 1, text, "\n1 finding\n")
    marks = [mark for mark in (here, there) if mark]
    found = places(said)
    assert len(found) == len(marks) and all(map(is_near, found, marks)), said


@pytest.mark.parametrize("job, text, mark", rows(NOTED))
def test_a_note_is_no_finding(job, text, mark):
    said = ends(job, 0, text, "0 findings\n", " note")
    assert is_near(places(said)[0], mark)


@pytest.mark.parametrize("job", RIGHT)
def test_a_right_program_has_no_finding(job):
    assert "note" not in ends(job, 0, "0 findings\n")


def test_what_was_not_checked_depends_on_what_was_used():
    assert "managed memory" not in ends("two_streams 0", 0)
    assert "managed memory" in ends("managed 0", 0)
    assert "proxy fences" not in ends("managed 0", 0)
    assert "proxy fences" in ends("tma 0", 0)


def test_what_the_runtime_answers():
    """How much shared memory a kernel may have, and how many of its blocks are
    on a multiprocessor; what is left of a device whose kernel has left its
    memory; and where threads are."""
    good, bad, lost = (f"cudaError{name}\n" if name else "cudaSuccess\n"
                       for name in ("", "InvalidValue", "IllegalAddress"))
    said = ends("limits 0", 0, "48129 bytes of dynamic shared memory; the "
                "limit beside its 1024 of static is 48128.\n",
                "is to have 231425")
    assert good + bad + bad + good + good + bad in re.sub(
        "The kernel .*\n", "", said)
    ends("occupancy 0", 0, "2 0 2 1 1 0 1 2 2 ")
    ends("lost 0", 1, "outside global memory: ", 3 * lost + good)
    ends("places 0", 0, "0 wrong\n")
