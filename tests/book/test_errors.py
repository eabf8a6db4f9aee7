"""A build that would print a wrong listing, number, link or term stops, names
file and line, and leaves the last good book in place."""

import pytest

from book.building import RESULTS, build
from support import ROOT, Tree

ONE, TWO, THREE = (f"chapters/{name}.md" for name in
                   ("01-method", "02-first", "03-second"))
NOTES = "chapters/notes/03-second.md"
KERNEL = "stage0_first/kernel.cu"
SECOND = "further/stage1_second/kernel.cu"

# Added to the end of a chapter; what stands behind "!" is said of the line
# before it, and nothing else is said.
ADDED = {
    "sums that do not add up": (ONE, """
It takes [4 × 32 = 129 cycles]{.calc}, of which
! does not add up: 4 × 32 = 129 cycles; the left side is 128
[(1,024 − 24) / 10^3^ = 1 = 2]{.calc} and [3 × 512 KiB = 1.6 MiB]{.calc}.
! does not add up: 1 = 2
! does not add up: 3 × 512 KiB = 1.6 MiB

Right are [1.5 / 4 = 0.38]{.calc}, [2^27^ / 1.98 GHz = 68 ms]{.calc},
[⌈1,024 / 192⌉ = 6 tiles = 6]{.calc} and [1.98e9 × 2 = 3.96e9]{.calc}.
"""),
    "figures typed by hand": (ONE, """
It takes 12.3 us, which is **40** % less, a factor of 1.8x
! the figure "12.3 us" is typed by hand
! the figure "40 %" is typed by hand
! the figure "1.8 x" is typed by hand
and $7\\,\\mathrm{ms}$.
! the figure "7 ms" is typed by hand

But 16x16, 16 × 32, sm_90, 5 shapes, `9 ms`, 1990s and [3 ms]{.calc} may stand.

| a | b |
|---|---|
| 1 | 6 ns |
! the figure "6 ns" is typed by hand

A [20 %]{.cited} gain from nowhere.
! a cited figure, but no source in this paragraph
"""),
    "results that are not there": (TWO, f"""
A [stage99_none:perf/x]{{.num}} and
! there is no result file {RESULTS}/stage99_none.json
[stage0_first:perf/huge/event/p50_us]{{.num}}, [stage0_first]{{.num}},
! has no "perf/huge/event/p50_us" (at "huge")
! "stage0_first" is not a reference FILE:key/key
[stage0_first:perf]{{.num}},
! "stage0_first:perf" is not a single value
[floor:model/mission/floor_us stage0_first:counters/bank_conflicts]{{.ratio}}.
! divides by zero
"""),
    "references": (ONE, """
See @fig-none and @src-none, [there](#nowhere),
! there is nothing with the id "fig-none"
! there is nothing with the id "src-none"
! there is nothing with the id "nowhere"
[a file](../Makefile), [a term]{.term}.
! the link "../Makefile" leads neither to #id nor
! term "a term" has no entry in chapters/back

### Again {#sec-tools}
! id "sec-tools" is taken

::: {.exercise #ex-open}
! exercise "ex-open" has no answer
No answer.
:::

$$ \\unknown{1} $$
! formula: KaTeX parse error
"""),
    "listings and files": (THREE, """
```{.cuda}
! code is cut from a source
int typed;
```
```{.output command="none"}
! chapters/output.txt has no "$ none"
```

```{.figure file="tiles.svg"}
! the figure needs alt=
```

```{.diff stage="stage1_second" against="stage0_first" region="helper"}
! do not differ in region "helper"
```
```{.arm stage="stage1_second" set="WIDE=2"}
! stage1_second has no arm WIDE=2
```
```{.arm stage="stage1_second" set="WIDE=0" region="helper"}
! WIDE=0 does not differ from the default arm in region "helper"
```
"""),
}

# Edits, each a file, a text and what takes its place; or None and an end, or
# twice None, where it goes; and what is said.
EDITED = {
    "a region that is not there": ([
        (TWO, 'region="helper"', 'region="helpful"')], [
        f'{TWO}:8: there is no region "helpful" in {KERNEL}']),
    "numbers of another kernel": ([
        (KERNEL, "return 2.0f", "return 4.0f"),
        (SECOND, "return 2.0f", "return 3.0f"),
        ("floor/read.cu", "+=", "-=")], [
        f"{TWO}:25: {RESULTS}/stage0_first.json was measured with another",
        f"{THREE}:26: {RESULTS}/stage1_second.json was measured with another",
        f"{THREE}:30: {RESULTS}/peers.json was measured with another",
        f"{THREE}:34: {RESULTS}/stage1_second.WIDE-0.json was measured with",
        f"{THREE}:39: {RESULTS}/stage1_second.ncu.json was measured with",
        f"{THREE}:42: {RESULTS}/stage1_second.timeline.json was measured with",
        f"{THREE}:104: {RESULTS}/floor.json was measured with another kernel",
    ]),
    "a kernel, and an arm, that no chapter has": ([
        ("stage2_third/kernel.cu", None, "// stage_launch\n"),
        (NOTES, 'set="WIDE=0" region="tail"', 'set="WIDE=0" region="none"')], [
        'chapters/book.yaml:1: no chapter has "stage: stage2_third"',
        f'{NOTES}:17: there is no region "none" in {SECOND}']),
    "sentences that are not those of a kernel": ([
        ("chapters/lines/stage1_second.md", "`includes`", "`none`"),
        ("chapters/lines/stage0_first.md", None, None),
        (SECOND, "//> launch\n", "int outside;\n//> launch\n")], [
        'chapters/lines/stage1_second.md:1: there is no region "none"',
        "chapters/lines/stage0_first.md: this file is missing",
        f'{SECOND}:1: region "includes" has no entry in chapters/lines/stage1',
        f"{SECOND}:26: this line is in no region"]),
    "results that are broken": ([
        (f"{RESULTS}/gates.json", '"nan": null', '"rms": null'),
        (f"{RESULTS}/stage1_second.WIDE-0.json", '"kernel_hash"', '"hash"')], [
        f'{RESULTS}/gates.json: is not valid JSON: the key "rms" is there',
        "WIDE-0.json has no build_meta/kernel_hash"]),
    "the list of chapters": ([
        ("chapters/09-stray.md", None, "# Stray {#ch-stray}\n"),
        ("chapters/book.yaml", "- file: A",
         "- file: 05-none.md\n    stage: stage9_none\n  - file: A"),
        ("labs/any/lab2.lab", None, "title: a lab\nstage: stage1_second\n"
         "chapter: ch-none\nminutes: 25\ntrains: nothing\n")], [
        "chapters/09-stray.md: this chapter is not in book.yaml",
        "chapters/05-none.md:1: there is no such file",
        "chapters/05-none.md:1: there is no kernel of its stage, stage9_none",
        'labs/any/lab2.lab:3: the chapter "ch-none" has no list of labs']),
}


@pytest.fixture
def copy(sample_tree, tmp_path):
    Tree(tmp_path).write("html/index.html", "the last good book\n")
    return sample_tree


def refused(copy, wanted, others=False):
    """One build says all of this, and of chapters nothing else."""
    out = copy.path.parent / "html"
    said = build(copy.path, out, 1, *wanted)
    assert (out / "index.html").read_text() == "the last good book\n"
    assert sorted(p.name for p in out.parent.glob("html*")) == ["html"]
    more = [line for line in said.splitlines() if line.startswith("chapters/")
            and not any(text in line for text in wanted)]
    assert others or not more, more
    return said.splitlines()


@pytest.mark.parametrize("name", ADDED)
def test_added(copy, name):
    path, text = ADDED[name]
    number = copy.read(path).count("\n") + 1
    wanted, kept = [], []
    for line in text.strip("\n").split("\n"):
        if line.startswith("! "):
            wanted.append((f"{path}:{number + len(kept)}: ", line[2:]))
        else:
            kept.append(line)
    copy.append(path, "\n" + "\n".join(kept) + "\n")
    said = refused(copy, [text for _, text in wanted])
    for place, text in wanted:
        assert any(line.startswith(place) and text in line for line in said), (
            f"{place}{text}", said)


@pytest.mark.parametrize("name", EDITED)
def test_edited(copy, name):
    edits, wanted = EDITED[name]
    for path, old, new in edits:
        if old is not None:
            copy.edit(path, old, new)
        elif new is None:
            (copy.path / path).unlink()
        elif copy.exists(path):
            copy.append(path, new)
        else:
            copy.write(path, new)
    refused(copy, wanted, others=True)


def test_same_machine_code_is_the_same_kernel(copy):
    """Of kernel 1 the default arm compiles to what it did, WIDE=0 does not."""
    record = copy.json(f"{RESULTS}/stage1_second.json")
    old = record["build_meta"]["kernel_hash"]
    copy.edit(SECOND, "2.0f * x", "x * 2.0f")
    copy.edit(KERNEL, "2.0f * x", "x * 2.0f")
    new = copy.run(f"{ROOT}/tools/results/kernel_hash.py stage1_second"
                   ).text.strip()
    copy.write(f"{RESULTS}/machine-code.json", f"""{{"kernels": [
      {{"stage": "stage1_second", "arm": "default",
        "kernel_hashes": ["{old}", "{new}"]}},
      {{"stage": "stage1_second", "arm": "WIDE-0",
        "kernel_hashes": ["{old}"]}}]}}\n""")
    refused(copy, [
        f"{TWO}:25: {RESULTS}/stage0_first.json was measured with another",
        f"{THREE}:34: {RESULTS}/stage1_second.WIDE-0.json was measured with"])
