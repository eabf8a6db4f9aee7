"""What samples say, as common/harness/timing.c."""

import statistics

from recorded import in_steps, percentile

BATCHES = 10


def noise(ours, twin):
    """The largest difference of two identical arms' medians over ten parts."""
    size = len(ours) // BATCHES
    return max(abs(percentile(ours[i * size:(i + 1) * size], 50)
                   - percentile(twin[i * size:(i + 1) * size], 50))
               for i in range(BATCHES))


def summary(samples):
    return {"p50_us": percentile(samples, 50),
            "p90_us": percentile(samples, 90),
            "mean_us": statistics.fmean(samples),
            "count": len(samples),
            "samples": in_steps(samples)}
