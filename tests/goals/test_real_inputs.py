"""The inputs `real`: judged where the recorded tensors are; where their file is
cut off, damaged or gone, one sentence that names it and exit code 3."""

import pytest

FILE = "common/tensors/minilm.qkv"
HEAD = (b"recorded tensors 1: layers 4096 heads 4096 rows 512 width 32 "
        b"checksum 0")


def check(tree, inputs="real"):
    tree.make("build/cpu/stage0_scalar/default/program")
    return tree.run("build/cpu/stage0_scalar/default/program check "
                    f"--shape small --distribution {inputs}")


def test_judged_by_the_relative_gates(tree):
    ran = check(tree)
    assert ran.code == 0 and "passed" in ran.text, ran.text
    row = next(r for r in ran.text.splitlines() if r.startswith("small "))
    assert row.split()[1:4] == ["3", "-", "-"], row


@pytest.mark.parametrize("spoil, says", [
    (lambda data: data[:-999], "lacks 999 of"),
    (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "is damaged"),
    (lambda data: HEAD.ljust(96) + data[96:], "does not begin as"),
    (lambda data: None, "No such file")])
def test_a_file_that_is_none(tree, spoil, says):
    file = tree.path / FILE
    data = file.read_bytes()
    file.unlink()
    if spoilt := spoil(data):
        file.write_bytes(spoilt)
    ran = check(tree)
    assert ran.code == 3 and len(ran.text.splitlines()) == 1, ran.text
    assert FILE in ran.text and says in ran.text
    assert check(tree, "normal").code == 0, "other inputs need none"
    file.write_bytes(data)
