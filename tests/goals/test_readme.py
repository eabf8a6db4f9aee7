"""README is what a visitor sees first: its links lead somewhere, and whoever
publishes the tree sets its address in one place."""

import re

import pytest


@pytest.mark.parametrize("path", ["README.md", "CONTRIBUTING.md"])
def test_links(root, path):
    for link in re.findall(r"\]\(([^)]+)\)", root.read(path)):
        if not link.startswith(("http", "../../releases")):
            assert root.exists(link.split("#")[0]), link


def test_address(tree):
    tree.append("CITATION.cff", "repository-code: https://github.com/a/b-c\n")
    tree.ends("tools/readme/readme.py")
    text = tree.read("README.md")
    name = re.search(r"^name: (\S+)$", tree.read("chapters/book.yaml"), re.M)[1]
    assert "git clone https://github.com/a/b-c attention" in text
    assert f"(https://a.github.io/b-c/{name}.epub)" in text
