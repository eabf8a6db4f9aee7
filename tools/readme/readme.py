#!/usr/bin/env python3
"""Writes the measured parts of README.md, and its drawings in results/, from
the results that the book cites:  readme.py [--check]
--check writes nothing, and fails (1) if a file would change. Exit code 2: a
result cannot be read, or a figure is missing there."""

import glob
import json
import os
import re
import subprocess
import sys
import textwrap

sys.path.append(os.path.join(os.path.dirname(__file__), "../common"))
from command import end, folder_of, stop, text_of, write
import facts
from recorded import Section, exists, load

FP8 = "flash_attention_3", "cudnn_fp8"
ORDER = *FP8, "cudnn_fp16", "torch_flash"
WIDE = "4,16,8192,128"
BIG = {"large": "D = 64", "4,16,8192,64,causal": "D = 64, causal",
       WIDE: "D = 128", f"{WIDE},causal": "D = 128, causal",
       "2,32:8,4096,128,causal": "D = 128, shared heads"}
# Who runs what: a kernel for some GPUs only names their architectures.
GPUS = {"A100": ("8.0", "80"), "A10, RTX 30": ("8.6", "86"),
        "L4, L40S, RTX 40": ("8.9", "89"), "H100, H200": ("9.0", "90a"),
        "B200": ("10.0", "100"), "RTX 50": ("12.0", "120")}
# A drawing that stands alone brings its colours along.
HEAD = """<svg{} role="img" aria-label="{}">
<style>
text {{ font: 13px system-ui, sans-serif; fill: #1f2328 }}
.tick {{ fill: #59636e }} .bar {{ fill: #0a5c9e }} .other {{ fill: #8c959f }}
@media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3 }}
  .tick {{ fill: #9198a1 }} .grid {{ stroke: #3d444d }} .bar {{ fill: #58a6ff }}
  .whisker {{ stroke: #f0a36b }} .other {{ fill: #6e7681 }} }}
</style>
"""
LADDER = ("Share of the ceiling, and of the best library, that each stage has "
          "reached at the shape large")
# The book computes and draws the ladder.
DRAW = """package.path = 'book/lib/?.lua;' .. package.path
local its, results = pandoc.json.decode(io.read 'a'), require 'data.results'
local rows, best = results.shares(its[1], its[2], its[3])
io.write(pandoc.json.encode { rows, best, results.NAMES,
  rows and require('figures.bars').shares_svg(rows, best) })"""


def found(pattern, text, default=None):
    its = re.search(pattern, text or "", re.M | re.S)
    return its[1] if its else default


FOLDER = found(r"^results: (\S+)", text_of("chapters/book.yaml")) or stop(
    2, "chapters/book.yaml names no folder of results.")
CITATION = text_of("CITATION.cff")


def recorded(key):
    """The run behind a line of the ladder on the first page."""
    path = found(rf"^{key} (\S+\.json):", text_of("chapters/front/landing.md"))
    if not (path and exists(path)):
        stop(2, f"chapters/front/landing.md names no result behind '{key}'.")
    return Section(path, (), load(path))


def at(result, path):
    """The section, or what get() gives at the last key of a path."""
    for key in path.split("/"):
        result = result.section(key)
    return result


def number(result, path):
    way, _, key = path.rpartition("/")
    return at(result, way).number(key)


def number_of(stage):
    return int(found(r"(\d+)", stage))


def wrapped(text):
    """In lines of 80 columns at most; a command stays in one."""
    text = re.sub("`.*?`", lambda its: its[0].replace(" ", "\0"), text)
    return textwrap.fill(text, 80, break_long_words=False,
                         break_on_hyphens=False).replace("\0", " ")


# ---- what does not hang on results ----

REPOSITORY = found(r"^repository-code: (\S+)", CITATION)


def links():
    """CITATION.cff names the repository and, where its pages lie elsewhere than
    GitHub puts them, their address. While it does not, links are relative."""
    site = found(r"^url: (\S+)", CITATION)
    ours = re.match("https://github.com/(.*?)/(.+)", REPOSITORY or "")
    if not site and ours:
        site = f"https://{ours[1]}.github.io/{ours[2]}"
    if not site:
        return ("[Read it here](chapters/00-preface.md) ·\n"
                "[PDF and EPUB of the last release](../../releases/latest)")
    file = f"{site}/" + found(r"^name: (\S+)", text_of("chapters/book.yaml"))
    return (f"[Read it online]({site}) ·\n[PDF]({file}.pdf) ·\n"
            f"[EPUB]({file}.epub)")


def commands():
    return (f"```sh\ngit clone {REPOSITORY or 'ADDRESS-OF-THIS-PAGE'} attention"
            " && cd attention\nmake setup && make stage1 bench   # installs "
            "what is missing; gates, then timings\nmake check-all"
            "                    # all that can be checked here\n```")


def race():
    """One finding of a report that a chapter shows, and what was planted."""
    path = "chapters/output.txt"
    finding = found(r"^\$ tests/races/try\.py[^\n]*\n.*?^(read before the wait"
                    r"[^\n]*\n.*?seen \d+ times\n)", text_of(path))
    return f"```\n{finding}```" if finding else stop(
        2, f"{path} holds no copy that is read before the wait.")


# ---- which stage runs on which GPU ----

def ranges(numbers):
    """As "0 to 9, 11"."""
    parts = []
    for its in numbers:
        if parts and parts[-1][-1] == its - 1:
            parts[-1].append(its)
        else:
            parts.append([its])
    return ", ".join(str(its[0]) if len(its) == 1 else f"{its[0]} to {its[-1]}"
                     for its in parts)


def runs_on(stage, architecture):
    only = facts.architectures(stage)
    return not only or architecture in only


def measured(names):
    """Whether results/ holds a run of each of these: "H100, RTX 30"."""
    for name in names.lower().split(", "):
        path = "results/nvidia-" + name.replace("rtx ", "geforce-rtx-")
        if not glob.glob(path + "*" if "rtx" in name else path) + glob.glob(
                path + "-*"):
            return "never"
    return "measured"


def gpus(stages):
    cards = [its[1] for name, its in GPUS.items() if "RTX" in name]
    on_all = [all(runs_on(stage, card) for card in cards) for stage in stages]
    runs, others = ([number_of(stage) for stage, its in zip(stages, on_all)
                     if its == wanted] for wanted in (True, False))
    text = "A class with RTX cards measures all stages."
    if others:
        text = wrapped(
            f"A class with RTX cards measures stages {ranges(runs)} on them, "
            f"and runs stages {ranges(others)} on the executor, races and "
            f"counters included: `make stage{others[0]} check race count "
            "TARGET=cpu`.")
    lines = [text, "", "| GPU | compute capability | stages | run here |",
             "|---|---|---|---|"]
    for name, (capability, architecture) in GPUS.items():
        here = [number_of(stage) for stage in stages
                if runs_on(stage, architecture)]
        lines.append(f"| {name} | {capability} | {ranges(here)} | "
                     f"{measured(name)} |")
    return "\n".join(lines)


# ---- beside the libraries ----

class Beside:
    """The run with the libraries, as the book's first page has it; and what the
    book calls these."""

    def __init__(self, stages, run, called):
        self.stages, self.run, self.called = stages, run, called
        everyone = at(run, "peers/large/contenders").value
        # The last stage, and the one before, whose sums drift as the libraries'
        ours = stages[-2:] + [name for name in ["libfp8attention"]
                              if name in everyone]
        self.names = ours + [name for name in ORDER
                             if "graph" in everyone.get(name, ())]
        self.ours = len(ours)

    def label(self, name):
        return self.called.get(name) or (
            "the library" if name == "libfp8attention"
            else f"stage {number_of(name)}")

    def figure(self, name, shape, key):
        return number(self.run, f"peers/{shape}/contenders/{name}/{key}")

    def sentence(self):
        """What the libraries and the last stages do at large and D = 128."""
        last = self.stages[-1]
        rates = [f"{self.label(name)} {self.figure(name, 'large', 'tflops'):.0f} "
                 f"and {self.figure(name, WIDE, 'tflops'):.0f}"
                 for name in self.names]

        errors = [f"{self.figure(name, 'large', 'rel_rms_offset'):.3f} for "
                  + self.label(name)
                  for name in [last, *(n for n in self.names if n in FP8)]]
        noises = [100 * number(self.run, f"peers/{shape}/noise_us")
                  / self.figure(last, shape, "graph/p50_us")
                  for shape in ("large", WIDE)]
        device = found(r"([HB]\d+)",
                       at(self.run, "build_meta/device").text("name"))
        return wrapped(
            f"TFLOP/s at `large` and at D = 128 on an {device}, with a noise of "
            f"{noises[0]:.1f} % and {noises[1]:.1f} %: {', '.join(rates)}. "
            "Where V has a mean of 4, tensor cores lose bits in long sums: the "
            f"relative error at `large` is {errors[0]}, which prevents that, "
            f"and {' and '.join(errors[1:])}.")

    def drawing(self):
        """Who does how many operations a second where the chip is full."""
        rows = []  # a heading; or a label, its rate, and the class of its bar
        for shape, heading in BIG.items():
            rows.append((heading, None, ""))
            rows += [(self.label(name), self.figure(name, shape, "tflops"),
                      " other" * (index >= self.ours))
                     for index, name in enumerate(self.names)]
        width, left, step, bar = 640, 170, 28, 16
        scale = (width - left - 90) / max(rate or 0 for _, rate, _ in rows)
        parts = [HEAD.format(
            f' xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} '
            f'{step * len(rows) + 8}"',
            "TFLOP/s by kernel, where the sequences are long")[:-1]]
        for index, (label, rate, kind) in enumerate(rows):
            y = index * step + 6
            bold = "" if rate else ' style="font-weight:600"'
            parts.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end"'
                         f'{bold}>{label}</text>')
            if rate:
                parts += [
                    f'<rect class="bar{kind}" x="{left}" y="{y}" '
                    f'width="{rate * scale:.1f}" height="{bar}"/>',
                    f'<text x="{left + rate * scale + 6:.1f}" y="{y + 13}">'
                    f'{rate:.0f} TFLOP/s</text>']
        return "\n".join(parts) + "\n</svg>\n"


# ---- the ladder ----

def percent(share):
    return f"{share:.1f} %" if share < 9.95 else f"{share:.0f} %"


def table(run, stages, rows, best):
    its = {row["name"]: row for row in rows}
    lines = [f"| stage | what it does | of the ceiling | of {best['name']} | "
             "mission |", "|---|---|---:|---:|---:|"]
    for stage in stages:
        mission = number(
            run, f"peers/mission/contenders/{stage}/graph/p50_us")
        summary = found(r'\.summary = "(.*?)",\n',
                        text_of(f"{folder_of(stage)}/driver.c"))
        shares_of = [percent(its[stage][key]) if stage in its else ""
                     for key in ("ceiling", "library")]
        lines.append(
            f"| [{stage}]({folder_of(stage)}) | {summary} | {shares_of[0]} | "
            f"{shares_of[1]} | {mission:.1f} µs |")
    meta = run.section("build_meta")
    compiler = at(meta, f"kernels/{stages[0]}").text("compiler")
    device = meta.section("device")
    release = found(r"release ([\d.]+)", compiler)
    return "\n".join(lines) + "\n\n" + wrapped(
        f"{device.text('name')}, driver for CUDA {device.text('driver')}, "
        f"{f'nvcc {release}' if release else compiler}, "
        f"{meta.text('date')[:10]}. Medians of launches in a CUDA graph, warm "
        "L2 cache. `make stage1 bench` prints [such a report]"
        f"({FOLDER}/stage1/bench.terminal.txt).")


def ladder(*its):
    """By the contenders of a run, the time at the ceiling and the stages'
    names: the rows, the best library or a reason, what libraries are called,
    and the drawing."""
    ran = subprocess.run(["tools/setup/pandoc.sh", "lua", "-e", DRAW],
                         input=json.dumps(its), text=True,
                         stdout=subprocess.PIPE, check=False)
    return json.loads(ran.stdout) if not ran.returncode else sys.exit(
        ran.returncode)


def made():
    """Each file with its text as it should be."""
    peers, floor = recorded("times"), recorded("ceiling")
    everyone = at(peers, "peers/mission/contenders").value
    stages = [stage for stage in facts.ladder()
              if stage in everyone] or stop(
                  2, f"{peers.path} holds no result of a stage.")
    rows, best, called, svg = ladder(
        at(peers, "peers/large/contenders").value,
        number(floor, "model/large/ceiling_us"), stages)
    if not rows:
        stop(2, f"{peers.path}: {best}.")
    beside = Beside(stages, peers, called)
    readme = text_of("README.md")
    for name, text in {
            "links": links(), "commands": commands(), "race": race(),
            "stages": table(peers, stages, rows, best), "gpus": gpus(stages),
            "peers": beside.sentence()}.items():
        open_, close = f"<!-- {name} -->\n", "\n<!-- end -->"
        if open_ not in readme:
            stop(2, f"README.md has no part {name}.")
        start = readme.index(open_) + len(open_)
        readme = readme[:start] + text + readme[readme.index(close, start):]
    svg = re.sub(r"^<svg([^\n]*)>\n", lambda its: HEAD.format(its[1], LADDER),
                 svg)
    return {"README.md": readme, "results/ladder.svg": svg + "\n",
            "results/peers.svg": beside.drawing()}


def main(check):
    stale = {path: text for path, text in made().items()
             if text_of(path) != text}
    for path, text in stale.items():
        if check:
            print(f"{path} is not what the results say: make readme")
        else:
            write(path, text)
            print(f"wrote {path}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    end(main, "--check" in sys.argv, refused=2)
