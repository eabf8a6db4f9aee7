"""What samples say: percentiles and noise, as common/harness/timing.c."""

import math
import statistics

BATCHES = 10


def percentile(values, share):
    return sorted(values)[max(math.ceil(share * len(values)), 1) - 1]


def noise(ours, twin):
    """The largest difference of two identical arms' medians over ten parts."""
    size = len(ours) // BATCHES
    return max(abs(percentile(ours[i * size:(i + 1) * size], 0.5)
                   - percentile(twin[i * size:(i + 1) * size], 0.5))
               for i in range(BATCHES))


def summary(samples):
    return {"p50_us": percentile(samples, 0.5),
            "p90_us": percentile(samples, 0.9),
            "mean_us": statistics.fmean(samples),
            "count": len(samples),
            "samples_us": [round(x, 3) for x in samples]}
