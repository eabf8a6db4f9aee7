"""Times contenders in turn, in an order drawn for each round, by two clocks:
single launches between CUDA events, and launches inside a replayed graph."""

import contextlib
import gc
import math
import os
import random
import statistics
import subprocess

import torch

from recorded import BATCHES, summary

WARMUP, ROUNDS, REPLAYS, LAUNCHES = 20, 200, 100, 20
SLEEP_CYCLES, SLEEP_US = 2_000_000, 1000.0
LONG_US = 1000.0  # from here on fewer rounds and shorter graphs do
# So few that a GPU does not reach its limit of power, or more, so that it does.
LONG_LAUNCHES = int(os.environ.get("LONG_LAUNCHES", "2"))
# A brief measurement: what a graph should last, and how many rounds there are.
GRAPH_US, LEAST_ROUNDS, MOST_ROUNDS = 400.0, BATCHES, 5 * BATCHES


def between_events(action, context):
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with context():
        start.record()
        action()
        stop.record()
    return start, stop


def us(start, stop):
    return 1000.0 * start.elapsed_time(stop)


def rounds(contenders, count, one):
    """one(contender) -> two events; the times of each, by place in the list."""
    times = [[] for _ in contenders]
    order = list(range(len(contenders)))
    for r in range(count):
        # Nobody may always follow the same: near its power cap a GPU is faster
        # after a frugal kernel.
        random.Random(r).shuffle(order)
        events = {place: one(contenders[place]) for place in order}
        torch.cuda.synchronize()
        for place, pair in events.items():
            times[place].append(us(*pair))
    return times


def capture(contender, launches):
    graph = torch.cuda.CUDAGraph()
    with contender.context():
        with torch.cuda.graph(graph):
            for _ in range(launches):
                contender.launch()
    return graph


@contextlib.contextmanager
def undisturbed():
    """Without the collector of garbage, which would stop the host."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@undisturbed()
def measure(contenders, looks, seconds=None):
    """What each takes, in the list's order, and how often all had their turn in
    graphs; in graphs alone, where it is to take about so many seconds. A single
    launch is what a program sees that waits for each: the host's time is in
    it."""
    def single(contender):
        return between_events(contender.launch, contender.context)

    long, times = max(looks) > LONG_US, [{} for _ in contenders]
    if seconds:
        count, launches = plan(looks, seconds)
    else:
        # What a graph costs to begin must not count for more with a quick
        # kernel because a slow one is measured beside it.
        launches = [LONG_LAUNCHES if us > LONG_US else LAUNCHES for us in looks]
        count = BATCHES if long else REPLAYS
        rounds(contenders, 3 if long else WARMUP, single)
        times = [{"event": summary(its)} for its in rounds(
            contenders, BATCHES if long else ROUNDS, single)]
    replay = replays(contenders, launches)
    rounds(contenders, 2, replay)
    graph = rounds(contenders, count, replay)
    return [its | {"graph": summary([us / n for us in g]) | {"launches": n}}
            for its, g, n in zip(times, graph, launches)], count


def replays(contenders, launches):
    """Captures each; for rounds(), a function that replays one's graph."""
    graphs = {id(c): capture(c, n) for c, n in zip(contenders, launches)}

    def replay(contender):
        # While the GPU sleeps, the host gets ahead: its time is not counted.
        torch.cuda._sleep(SLEEP_CYCLES)
        return between_events(graphs[id(contender)].replay, contender.context)
    return replay


def look(contender):
    """About how many us a launch takes, in a graph of its own, which is gone
    again behind it. Raises what the contender does."""
    replay = replays([contender], [1])
    rounds([contender], 1, replay)
    return min(rounds([contender], 2, replay)[0])


def plan(looks, seconds):
    """(rounds, launches in each one's graph) that take about so long."""
    launches = [min(max(math.ceil(GRAPH_US / max(us, 1e-3)), 1), LAUNCHES)
                for us in looks]
    one = sum(SLEEP_US + us * n for us, n in zip(looks, launches))
    count = int(seconds * 1e6 / one) // BATCHES * BATCHES
    return min(max(count, LEAST_ROUNDS), MOST_ROUNDS), launches


def smi_name():
    """The GPU in use, as nvidia-smi takes it: it counts hidden ones, too."""
    uuid = getattr(torch.cuda.get_device_properties(0), "uuid", None)
    return f"GPU-{uuid}" if uuid else "0"


class Power:
    """The GPU's clock and power, asked of nvidia-smi twenty times a second."""

    def __enter__(self):
        query = ["nvidia-smi", "--query-gpu=clocks.sm,power.draw",
                 "--format=csv,noheader,nounits", "-i", smi_name(),
                 "-lms", "50"]
        try:
            self.process = subprocess.Popen(query, stdout=subprocess.PIPE,
                                            text=True)
        except OSError:
            self.process = None
        return self

    def __exit__(self, *_):
        self.samples = []
        if not self.process:
            return
        self.process.terminate()
        for line in self.process.communicate()[0].splitlines():
            try:
                self.samples.append([float(x) for x in line.split(",")])
            except ValueError:
                pass  # cut off in the middle of a line, or not supported

    def figures(self):
        if not self.samples:
            return None
        clocks, watts = zip(*self.samples)
        return {"samples": len(clocks), "clock_min_mhz": min(clocks),
                "clock_max_mhz": max(clocks),
                "power_mean_w": round(statistics.fmean(watts), 1),
                "power_max_w": max(watts)}
