"""The inputs `real`: judged where the recorded tensors are; where their file is
cut off, damaged or gone, one sentence that names it and exit code 3."""

import pytest

FILE = "common/tensors/minilm.qkv"
HEAD = "recorded tensors {}: layers {} heads {} rows 512 width {} checksum 0"


def check(tree, inputs="real"):
    tree.make("build/cpu/stage0_scalar/default/program")
    return tree.run("build/cpu/stage0_scalar/default/program check "
                    f"--shape small --distribution {inputs}")


@pytest.mark.takes(15)
def test_judged_by_the_relative_gates(tree):
    ran = check(tree)
    assert ran.code == 0 and "passed" in ran.text, ran.text
    row = next(r for r in ran.text.splitlines() if r.startswith("small "))
    assert row.split()[1:4] == ["3", "-", "-"], row


def refused(tree, says):
    ran = check(tree)
    lines = ran.text.splitlines()
    assert ran.code == 3 and len(lines) == 1, ran.text
    assert FILE in lines[0] and says in lines[0], ran.text


@pytest.fixture
def whole(tree):
    file = tree.path / FILE
    data = file.read_bytes()
    yield data
    file.write_bytes(data)


@pytest.mark.parametrize("spoil, says", [
    (lambda data: data[:-999], "lacks 999 of"),
    (lambda data: data[:95], "does not begin as"),
    (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "is damaged"),
    (lambda data: data + b"\0", "is damaged"),
    *((lambda data, line=line: line.encode().ljust(96) + data[96:],
       "does not begin as") for line in (
        HEAD.format(2, 2, 12, 32), HEAD.format(1, 0, 12, 32),
        HEAD.format(1, 2, -1, 32), HEAD.format(1, 2, 12, 9999),
        HEAD.format(1, 4096, 4096, 32), "#!/bin/sh")),
])
def test_a_file_that_is_none(tree, whole, spoil, says):
    (tree.path / FILE).write_bytes(spoil(whole))
    refused(tree, says)


def test_no_file(tree, whole):
    (tree.path / FILE).unlink()
    refused(tree, "No such file")
    assert check(tree, "normal").code == 0, "other inputs need none"


def test_no_model(tree, whole):
    (tree.path / FILE).unlink()
    (tree.path / ".deps").rename(tree.path / "aside")
    tree.make("tensors", 2, "setup.sh model", "Error 3")
    assert not tree.exists(FILE)
    (tree.path / "aside").rename(tree.path / ".deps")
