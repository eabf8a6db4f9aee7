"""What a widget lets a reader try is right: its model against counts of Nsight
Compute, and a ring in closed form. (Softmax: tests/browser.)"""

import json
import math
import subprocess

import pytest

from device.patterns import PATTERNS
from support import ROOT, have

pytestmark = pytest.mark.skipif(not have("node"), reason="no node here")


def model(name, expression, cases):
    """What the expression gives for each case, which it calls `c`."""
    script = f"""
      require('./book/widgets/{name}.model.js');
      const cases = JSON.parse(require('fs').readFileSync(0));
      console.log(JSON.stringify(cases.map((c) => {expression})));"""
    return json.loads(subprocess.run(
        ["node", "-e", script], cwd=ROOT, input=json.dumps(cases), check=True,
        capture_output=True, text=True).stdout)


def test_bank_conflicts():
    """The indices are those of the kernel that was profiled."""
    recorded = sorted(ROOT.glob("results/**/shared-patterns.json"))[-1]
    patterns = json.loads(recorded.read_text())["patterns"]
    assert len(patterns) == 96
    cases = [{**p, "addresses": [p["bytes"] * PATTERNS[p["pattern"]](lane)
                                 for lane in range(32)]} for p in patterns]
    found = model("bank-conflicts", "bookWidgets.bankConflictsModel.count("
                  "bookWidgets.bankConflictsModel.schedule("
                  "c.access, c.bytes, c.addresses))", cases)
    assert found == [p["wavefronts"] for p in patterns]


def end_of_last_tile(tiles, copy, compute, slots, inTurn):
    if slots == 1:
        return tiles * (copy + compute)
    if inTurn:
        return copy + compute + (tiles - 1) * max(copy, compute)
    if copy <= (slots - 1) * compute:
        return copy + tiles * compute
    return (math.ceil(tiles / slots) * (copy + compute)
            + (tiles - 1) % slots * compute)


def test_pipeline():
    cases = [{"tiles": tiles, "copy": copy, "compute": compute, "slots": slots,
              "inTurn": turn} for tiles in (1, 2, 5, 9) for copy in range(9)
             for compute in (1, 3, 7) for slots in range(1, 5)
             for turn in (False, True)]
    found = model("pipeline", "bookWidgets.pipelineModel.total("
                  "bookWidgets.pipelineModel.run(c))", cases)
    for case, total in zip(cases, found):
        assert total == end_of_last_tile(**case), case
