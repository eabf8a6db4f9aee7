"""The earlier project's claims are quoted with their source, and no tool takes
them for results of this project: a reader would be shown foreign numbers."""

import re

from recorded import newest, text_of

FOLDER = "results/original-l4"
CLAIMS = f"{FOLDER}/claims.json"
FORM = {"id": r"[a-z0-9-]+", "claim": ".+", "unit": ".+",
        "shape": r"\d+,\d+,\d+,\d+", "file": ".+", "commit": "[0-9a-f]{7,40}",
        "provenance": ".+", "verdict": ".+", "why": r".+\."}


def test_claims_are_whole(root):
    data = root.json(CLAIMS)
    names = [claim["id"] for claim in data["claims"]]
    assert len(names) == len(set(names)) >= 15
    for claim in data["claims"]:
        assert set(claim) == {*FORM, "figures"}, claim["id"]
        for field, form in FORM.items():
            assert re.fullmatch(form, claim[field]), (claim["id"], field)
        assert claim["provenance"] in data["provenances"]
        assert all(isinstance(v, (int, float)) for v in
                   claim["figures"].values())
    assert {c["verdict"] for c in data["claims"]} == set(data["verdicts"])
    assert f"rows {CLAIMS}:claims " in root.read(
        "chapters/notes/26-how-we-fooled-ourselves.md")


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
