#!/usr/bin/env python3
"""The step of a clock:  tick.py RESULT
The largest number of nanoseconds that divides every sample between events."""

import math
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "tools/results"))
from recorded import load, samples_of

result = load(sys.argv[1])
samples = [int(sample * 1000 + 0.5) for shape in result["perf"].values()
           for sample in samples_of(shape["event"])]
print(f"{len(samples)} samples, {len(set(samples))} different values, all "
      f"multiples of {math.gcd(*samples)} ns")
