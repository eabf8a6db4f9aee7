"""No tool takes the earlier project's claims for results of this project: a
reader would be shown foreign numbers."""

import re

from recorded import newest, text_of

FOLDER = "results/original-l4"
CLAIMS = f"{FOLDER}/claims.json"


def test_no_tool_reads_them(tree):
    """Even where results with a stage's name lie in that folder."""
    (result,) = newest("stage1_cp_async.json", root=tree.path / "results")[:1]
    for stage, p50 in ("stage0_scalar", "0.002"), ("stage1_cp_async", "0.001"):
        tree.write(f"{FOLDER}/{stage}.json", re.sub(
            r'("p50_us": ?)[\d.]*', rf"\g<1>{p50}", text_of(result)))
    tree.make("stage0 stage1 compare", never=" 0.00 ")
    tree.ends("tools/readme/readme.py --check")
    ran = tree.run("make stage1 profile TARGET=cpu")
    assert "original" not in ran.text
    assert tree.run(["tools/compare/compare.py", result, CLAIMS]).code != 0
    assert "original-l4" not in (tree.read("chapters/book.yaml") +
                                 tree.read("README.md"))
