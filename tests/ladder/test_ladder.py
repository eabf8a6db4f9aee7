"""A stage that adds too much at once cannot be read as one step; and a diff
that shows other lines than the compiled ones misleads the reader."""

import re

import pytest

from support import ROOT, STAGES, run
from facts import facts

MOST = 120
GRANTED = {stage: its["most_lines"] for stage in STAGES
           if "most_lines" in (its := facts(stage))}


def code(stage):
    """The lines that are compiled by default, without blanks, comments and
    includes."""
    text = run(["tools/diff/diff.py", "default", stage]).text
    lines = ("".join(re.sub("//.*", "", line).split())
             for line in text.splitlines() if not line.startswith("#"))
    return [line for line in lines if line]


@pytest.mark.parametrize("stage", STAGES[1:])
def test_step_is_small(stage, tmp_path):
    for name, of in (("before", STAGES[STAGES.index(stage) - 1]),
                     ("after", stage)):
        (tmp_path / name).write_text("".join(f"{x}\n" for x in code(of)))
    diff = run("diff --minimal before after", tmp_path).text
    added = len(re.findall("^>", diff, re.M))
    assert 0 < added <= GRANTED.get(stage, MOST)
    assert stage not in GRANTED or added > MOST, "it needs no exception"


def test_exceptions_are_few():
    assert len(GRANTED) <= 2 and max(GRANTED.values()) <= 220


def test_default_arm(tmp_path):
    folder = tmp_path / "stage99_x"
    folder.mkdir()
    toggles = ("// toggle USE_A: 0 1\n#ifndef USE_A\n#define USE_A 0\n#endif\n")
    (folder / "kernel.cu").write_text(
        f"#include <no/such/header>\n\n//> toggles\n{toggles}//< toggles\n"
        "//> one\n#if USE_A\n\nint a;  // never\n#else\n\n"
        "int b;  // a comment\n#endif\n//< one\n")
    ran = run([ROOT / "tools/diff/diff.py", "default", "stage99_x"], tmp_path)
    assert ran.text == (f"#include <no/such/header>\n\n{toggles}\n"
                        "int b;  // a comment\n")


def test_what_names_code_that_is_gone_is_told(sources):
    """A contributor who renames a variable finds all places by one command."""
    fits = "tools/source/fits.py"
    sources.ends([fits, *STAGES])
    sources.ends("git init -q . && git add . && git -c user.name=a "
                 "-c user.email=a@b commit -qm first")
    stage = next(its for its in STAGES if its.startswith("stage9_"))
    path = f"further/{stage}"
    sources.run(f"sed -i 's/\\bend_key\\b/last_key/g' {path}/kernel.cu")
    said = sources.ends([fits, stage], 1, f"{path}/stage.toml:",
                        f"chapters/lines/{stage}.md:")
    sources.ends(re.search("sed -i .*", said)[0])
    # What is equivalent in all stages is not renamed for one.
    sources.ends([fits, stage], 0, "mistakes.toml:", never=".md:")
    one, lines = STAGES[1], "chapters/output.txt"
    sources.append(f"{one}/kernel.cu", "\n")
    sources.ends([fits, one], 0, f"{lines}: ", f"/{one}.count.json: ")
