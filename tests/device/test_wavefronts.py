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


# Every setting that the widget's inputs allow: an access, and its two counts.
SETTINGS = """
require('./book/widgets/svg.js');
require('./book/widgets/bank-conflicts.js');
const model = globalThis.bookWidgets.widgets['bank-conflicts'];
const of = Object.fromEntries(model.fields.map(
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
