"""A workflow or a citation that is broken shows only on the forge, where nobody
of this project looks."""

import re

import pytest
from ruamel.yaml import YAML

WORKFLOW = ".github/workflows/book.yml"


@pytest.mark.parametrize("path, schema", [
    (WORKFLOW, "github-workflows"), ("CITATION.cff", "citation-file-format")])
def test_schema(root, path, schema):
    root.ends(".deps/tests/bin/check-jsonschema "
              f"--builtin-schema vendor.{schema} {path}")


def test_a_gpu_runs_no_stranger_s_code(root):
    """A self-hosted runner is somebody's machine: it is asked for, and it runs
    no pull request. What it times is held by a gate."""
    job = YAML(typ="safe").load(root.read(WORKFLOW))["jobs"]["gpu"]
    assert "vars.GPU_RUNNER" in job["if"]
    assert "github.event_name != 'pull_request'" in job["if"]
    assert "compare" in job["steps"][-1]["run"]
    assert "GATE=" in job["steps"][-1]["run"]


def test_citation_has_the_books_title(root):
    title = re.search(r"^title: .*$", root.read("chapters/book.yaml"), re.M)[0]
    assert title in root.read("CITATION.cff").splitlines()
