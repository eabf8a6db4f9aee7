"""Two builds in two folders give the same bytes; or nobody could show that a
recorded program is that of a commit. (Of the book: tests/book.)"""

import pytest

from support import copy, run

HAS_NVCC = run("tools/setup/cuda-home.sh").code == 0


def built(folder):
    """The names and bytes of what a build in this folder makes."""
    tree = copy(folder, built=False)
    # ccache would give the second what it kept of the first.
    tree.make("-j2 stage1 TARGET=cpu", CCACHE_DISABLE=1)
    if HAS_NVCC:
        tree.make("-j2 stage1 TARGET=gpu resources", CCACHE_DISABLE=1)
    return {p.relative_to(folder): p.read_bytes()
            for p in (folder / "build").rglob("*")
            if p.is_file() and (p.name == "program" or
                                p.suffix in (".o", ".cubin"))}


@pytest.mark.slow
def test_reproduce(tmp_path):
    one, other = built(tmp_path / "one"), built(tmp_path / "another/folder")
    suffixes = {p.suffix for p in one}
    assert suffixes == {"", ".o"} | ({".cubin"} if HAS_NVCC else set())
    assert one.keys() == other.keys()
    assert not [str(p) for p in one if one[p] != other[p]]
