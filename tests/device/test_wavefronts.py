"""Bank conflicts: a reader who counts by the executor, or by the book's widget,
gets what Nsight Compute counts on a GPU."""

import pytest

from device import patterns
from support import have

PROGRAM = "build/tests/patterns"


def test_each_pattern_as_on_a_gpu(root, tmp_path):
    newest = sorted(root.path.glob("results/**/shared-patterns.json"))[-1]
    recorded = root.json(newest)["patterns"]
    assert [(p["access"], p["bytes"], p["pattern"])
            for p in recorded] == patterns.ACCESSES
    root.write(tmp_path / "accesses", patterns.LINES)
    assert [int(line.split()[0]) for line in root.ends(
        f"{PROGRAM} <{tmp_path}/accesses").splitlines()] == [
            p["wavefronts"] for p in recorded]


# What Nsight Compute counted on an H200 of loads of 16 and of 8 bytes:
# wavefronts, and bank conflicts.
LOADS = [
    (lambda i: i // 16 * 36, (2, 0), (1, 0)),
    (lambda i: i // 8, (2, 0), (1, 0)),
    (lambda i: i % 2, (2, 0), (1, 0)),
    (lambda i: i // 2, (2, 0), (1, 0)),
    (lambda i: i % 8, (4, 0), (2, 0)),
    (lambda i: i % 4, (4, 0), (2, 0)),
    (lambda i: i, (4, 0), (2, 0)),
    (lambda i: i * 8, (32, 28), (16, 14)),
    (lambda i: i // 8 * 8, (4, 2), (2, 1)),
    (lambda i: i // 2 * 8, (16, 14), (8, 7)),
    (lambda i: i % 2 * 8, (4, 2), (1, 0)),
    (lambda i: i % 8 * 8, (32, 28), (8, 6)),
    (lambda i: i if i < 8 else i - 8 if i < 16 else 0, (4, 0), (2, 0))]


def test_wide_loads_as_on_an_h200(root, tmp_path):
    wanted, lines = [], []
    for place, *seen in LOADS:
        for size, (wavefronts, conflicts) in zip((16, 8), seen):
            lines.append(patterns.line("load", size, place))
            wanted.append(f"{wavefronts} {wavefronts - conflicts}")
    # Words a stride apart; and bytes of one word do not conflict.
    for stride in 1, 2, 3, 4, 12, 16, 32, 33:
        lines.append(patterns.line("load", 4, lambda i, n=stride: n * i))
        wanted.append(f"{(stride & -stride)} 1")
    lines.append(patterns.line("store", 2, lambda i: i))
    wanted.append("1 1")
    file = root.write(tmp_path / "accesses", "\n".join(lines) + "\n")
    assert root.ends(f"{PROGRAM} <{file}").splitlines() == wanted
    said = root.ends(f"echo load 3 0 | {PROGRAM}", 2, "no such access")
    assert said.count("\n") == 1


# Every setting that the widget's inputs allow: an access, and its two counts.
SETTINGS = """
for (const name of ['fields', 'svg', 'bank-conflicts.model', 'bank-conflicts'])
  require(`./book/widgets/${name}.js`);
const { bankConflictsModel: model, widgets } = globalThis.bookWidgets;
const of = Object.fromEntries(widgets['bank-conflicts'].fields.map(
  (field) => [field.name, field]));
for (const pattern of Object.keys(of.pattern.options))
  for (const size of Object.keys(of.size.options).map(Number))
    for (let padding = of.padding.min; padding <= of.padding.max; padding += 1)
      for (const swizzle of [false, true]) {
        const access = model.access({ pattern, size, padding, swizzle });
        if (!model.isAligned(access)) continue;
        const { kind, bytes, addresses } = access;
        const groups = model.schedule(kind, bytes, addresses);
        console.log(`${kind} ${bytes} ${addresses.join(' ')}|${
          model.count(groups)} ${groups.length}`);
      }
"""


@pytest.mark.skipif(not have("node"), reason="node is not installed")
def test_the_widget_counts_what_the_executor_counts(root, tmp_path):
    said = [line.split("|") for line in root.ends(
        ["node", "-e", SETTINGS]).splitlines()]
    assert len({counts for _, counts in said}) >= 5
    root.write(tmp_path / "accesses", "\n".join(a for a, _ in said) + "\n")
    assert root.ends(f"{PROGRAM} <{tmp_path}/accesses").splitlines() == [
        counts for _, counts in said]
