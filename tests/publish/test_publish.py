"""A workflow, a citation or an image that is broken shows only on the forge, or
at a reader's, where nobody of this project looks."""

import json
import re

import pytest
from ruamel.yaml import YAML

from support import ROOT

WORKFLOW = ".github/workflows/book.yml"
STEPS = (r"\.ci/run|make [^;&|]+|gh release create [^;&|]+|"
         r"apt-get update && apt-get install -y [\w -]+")


def goals():
    """The goals and the settings of make that the book lists."""
    text = (ROOT / "chapters/back/goals.md").read_text()
    return re.findall(r"^`(\S+)`$", text, re.M)


@pytest.mark.parametrize("path, schema, old, new", [
    (WORKFLOW, "github-workflows", "runs-on", "runs-at"),
    ("CITATION.cff", "citation-file-format", "CC-BY-4.0", "CC-BY-4"),
])
def test_schema(root, tmp_path, path, schema, old, new):
    check = (".deps/tests/bin/check-jsonschema "
             f"--builtin-schema vendor.{schema} ")
    root.ends(check + path)
    spoilt = tmp_path / path.split("/")[-1]
    spoilt.write_text(root.read(path).replace(old, new))
    root.ends(check + str(spoilt), 1)


def test_workflow_calls_make_alone(root):
    jobs = YAML(typ="safe").load(root.read(WORKFLOW))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"]
                if "run" in step]
    assert ".ci/run" in commands and "make setup" in commands
    for command in commands:
        assert re.fullmatch(STEPS, command.strip()), command
        if command.startswith("make "):
            words = [re.sub(r"^stage\d+$", "stageN", w.split("=")[0])
                     for w in command.split()[1:]]
            assert set(words) <= set(goals()), command


def test_a_gpu_runs_no_stranger_s_code(root):
    """A self-hosted runner is somebody's machine: it is asked for, and it runs
    no pull request. What it times is held by a gate."""
    job = YAML(typ="safe").load(root.read(WORKFLOW))["jobs"]["gpu"]
    assert "vars.GPU_RUNNER" in job["if"]
    assert "github.event_name != 'pull_request'" in job["if"]
    assert "compare" in job["steps"][-1]["run"]
    assert "GATE=" in job["steps"][-1]["run"]


def test_dockerfile(root):
    """From an image by its digest, for any processor; not as root; each script
    and goal that it runs is there; and an editor's container is that one, with
    what the image has installed in place."""
    text = root.read("Dockerfile")
    assert re.findall(r"^FROM (.*)$", text, re.M) == re.findall(
        r"^FROM (debian:\w+-\d{8}@sha256:[0-9a-f]{64})$", text, re.M)
    user = re.findall(r"^USER (\w+)$", text, re.M)[-1]
    assert user != "root" and f"/bin/bash {user}\n" in text
    scripts = re.findall(r"\bsh (\S+)", text)
    assert "tools/setup/setup.sh" in scripts
    assert all(root.exists(script) for script in scripts)
    assert set(re.findall(r"\bmake ([\w-]+)$", text, re.M)) <= set(goals())
    # What git leaves out is this machine's, and stays out of the image.
    ignored = re.findall(r"^/(\S+)/$", root.read(".gitignore"), re.M)
    assert ignored and set(ignored) <= set(
        root.read(".dockerignore").splitlines())
    its = json.loads(root.read(".devcontainer/devcontainer.json"))
    home = re.search(r"^WORKDIR (\S+)$", text, re.M)[1]
    assert its["remoteUser"] == user and its["workspaceFolder"] == home
    assert f"target={home}," in its["workspaceMount"]
    assert f"target={home}/.deps,type=volume" in its["mounts"][0]
    assert its["build"] == {"dockerfile": "../Dockerfile", "context": ".."}
    assert its["postCreateCommand"].removeprefix("make ") in goals()


def test_citation_has_the_books_title(root):
    title = re.search(r"^title: .*$", root.read("chapters/book.yaml"), re.M)[0]
    assert title in root.read("CITATION.cff").splitlines()
