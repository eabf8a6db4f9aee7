"""What a widget lets a reader try is right: its model against counts of Nsight
Compute. (Softmax and the ring: tests/browser.)"""

import json
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
