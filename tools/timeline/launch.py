"""What one launch of a kernel with stamps shows: when its warps were in which
phase, a summary of that, two steps to draw, and a trace. All times are in
cycles since a block's first stamp."""

import array
import collections
import re
import struct

from recorded import as_json, percentile

PHASE_BITS, CLOCK_BITS = 5, 27  # of a stamp: phases.h
OPTIONAL = {"dequant", "V_turn", "wait_product"}  # all kernels have the others
WAITING = {"wait_copy", "wait_barrier", "wait_product"}
LONGEST_PERIOD = 16
TRACED = 4  # blocks


class Wrong(Exception):
    """Why stamps are not what they should be, in a sentence."""


class Warp:
    """The phases that it was in, which lie end to end: when each began, and
    the last one ended. One that neither multiplies nor stores is a producer."""

    def __init__(self, phases, times):
        self.phases, self.times = phases, times
        self.is_producer = not {"WMMA_QK", "store_O"} & {*phases}
        self.begin, self.end = times[0], times[-1]

    def visits(self):
        """The phase, its beginning and its end of each."""
        return zip(self.phases, self.times, self.times[1:])

    def begins(self, *phases):
        return [begin for phase, begin in zip(self.phases, self.times)
                if phase in phases]

    def steps(self):
        """When each begins: a producer's with its work on a tile, a consumer's
        with the scores."""
        return self.begins(*(["dequant", "V_turn"] if self.is_producer
                             else ["WMMA_QK"]))


def warp_of(number, stamps, start, phases):
    visited, times, half = [], array.array("q"), 1 << CLOCK_BITS - 1
    now = 0
    for n, stamp in enumerate(stamps):
        code, clock = stamp & (1 << PHASE_BITS) - 1, stamp >> PHASE_BITS
        if not 0 < code <= len(phases) + 1:
            break
        # The clock goes round.
        passed = (clock - start - now + half) % (2 * half) - half
        if n and passed < 0:
            raise Wrong(f"Stamp {n} of warp {number} is older than the one "
                        "before.")
        now += passed
        times.append(now)
        if code > len(phases):
            return Warp(visited, times)
        visited.append(phases[code - 1])
    else:
        raise Wrong(f"Warp {number} has more stamps than there is room for.")
    raise Wrong(f"Warp {number} never said that it ended.")


class Launch:
    def __init__(self, path, blocks, warps, phases, due):
        """Of a file that record.c has written. Each block must have been in all
        phases, of those that not every kernel has the bits of `due`."""
        with open(path, "rb") as file:
            data = file.read()
        all_warps, head = blocks * warps, 16 * blocks
        # Of each block: the clock that all share, its own, and where it was.
        self.starts = [*struct.iter_unpack("=QII", data[:head])]
        stamps = array.array("I", data[head:])
        self.phases, self.blocks = phases, []
        wanted = {name for code, name in enumerate(phases, 1)
                  if name not in OPTIONAL or due >> code & 1}
        for block, (_, clock, _) in enumerate(self.starts):
            first = block * warps
            self.blocks.append([
                warp_of(warp, stamps[warp::all_warps], clock, phases)
                for warp in range(first, first + warps)])
            seen = {its for warp in self.blocks[-1] for its in warp.phases}
            for name in phases:
                if name in wanted - seen:
                    raise Wrong(f"Block {block} was never in {name}: the list "
                                "of phases does not fit this arm.")

    # ---- the summary ----

    def summary(self, is_time):
        """By role: warps that multiply and warps that do not. Cycles and shares
        only where that is time: the executor's steps are none."""
        roles = {its: [warp for block in self.blocks for warp in block
                       if warp.is_producer == its] for its in (False, True)}
        names = {False: "consumers" if roles[True] else "warps",
                 True: "producers"}
        its = {"blocks": len(self.blocks),
               "warps_of_a_block": len(self.blocks[0]),
               "roles": {names[key]: self.role(warps, is_time)
                         for key, warps in roles.items() if warps}}
        overlap = overlap_of(self.blocks) if is_time else None
        if overlap is not None:
            its["producers_overlapped_pct"] = overlap
        return its

    def role(self, warps, is_time):
        first = [its for its in self.blocks[0]
                 if its.is_producer == warps[0].is_producer]
        lives = [its.end - its.begin for its in warps]
        visits = collections.defaultdict(list)
        for warp in warps:
            for phase, begin, end in warp.visits():
                visits[phase].append(end - begin)

        def about(cycles):
            found = {"visits": len(cycles) / len(warps)}
            if is_time:
                found["share_pct"] = round(100 * sum(cycles) / sum(lives), 2)
                found["cycles_per_warp"] = round(sum(cycles) / len(warps), 1)
                found |= {f"p{percent}_cycles": percentile(cycles, percent)
                          for percent in (10, 50, 90)}
            return found

        its = {"warps": len(warps),
               "order": order_of(first[0].phases) if first else "",
               "alike": all(its.phases == first[0].phases for its in first)}
        if is_time:
            its["life"] = about(lives)
            steps = [b - a for warp in warps
                     for a, b in zip(warp.steps(), warp.steps()[1:])]
            if steps:
                its["step"] = about(steps)
        its["phases"] = {name: about(visits[name]) for name in self.phases
                         if visits[name]}
        return its

    # ---- what is drawn ----

    def drawing(self):
        """Two steps in the middle of the block whose time is the median."""
        lives = [max(warp.end for warp in block)
                 - min(warp.begin for warp in block) for block in self.blocks]
        block = lives.index(sorted(lives)[len(lives) // 2])
        warps = self.blocks[block]
        guide = next((its for its in warps if not its.is_producer), warps[0])
        steps = guide.begins("WMMA_QK")
        first = len(steps) // 2 - 1 if len(steps) > 3 else 0
        start, stop = ((steps[n:] or [guide.end])[0]
                       for n in (first, first + 2))
        return {"block": block, "sm": self.starts[block][2],
                "first_step": first, "cycles": stop - start,
                "warps": [{"role": "producer" if its.is_producer
                           else "consumer",
                           "visits": [f"{phase} {max(begin, start) - start}"
                                      f" {min(end, stop) - start}"
                                      for phase, begin, end in its.visits()
                                      if end > start and begin < stop]}
                          for its in warps]}

    # ---- the trace ----

    def trace(self, mhz):
        """The first blocks in the format that Chrome and Perfetto read: a
        process for each block, a thread for each warp. Blocks on different
        multiprocessors meet on the clock that all share; within a block the
        multiprocessor's own counts, which is finer. On the executor, with no
        clock, its steps are shown as microseconds."""
        origin, events = min(its[0] for its in self.starts[:TRACED]), []

        def add(block, warp, ph, **more):
            events.append({"ph": ph, "pid": block, "tid": warp, **more})

        for block, warps in enumerate(self.blocks[:TRACED]):
            common, _, sm = self.starts[block]
            # From 1 on, as a warp may begin shortly before its block's clock is
            # read.
            start = 1 + ((common - origin) / 1000 if mhz else 0)
            add(block, 0, "M", name="process_name",
                args={"name": f"block {block} on SM {sm}"})
            for warp, its in enumerate(warps):
                add(block, warp, "M", name="thread_name",
                    args={"name": f"warp {warp}"})
                for phase, *times in its.visits():
                    begin, end = (round(start + at / (mhz or 1), 4)
                                  for at in times)
                    add(block, warp, "B", name=phase, ts=begin)
                    add(block, warp, "E", ts=end)
        unit = "microseconds" if mhz else "executor steps, which are no time"
        return as_json({
            "displayTimeUnit": "ns", "traceEvents": events,
            "otherData": {"clock_mhz": round(mhz, 1), "unit": unit}})


def order_of(phases):
    """In order, a repeated run of them as "16 x (a b)"."""
    words, rest = [], "".join(f"{phase} " for phase in phases)
    while rest:
        runs = (re.match(rf"((?:\S+ ){{{period}}})\1\1+", rest)
                for period in range(1, LONGEST_PERIOD + 1))
        its = max(filter(None, runs), key=lambda its: its[0].count(" "),
                  default=None)
        words.append(f"{len(its[0]) // len(its[1])} x ({its[1][:-1]})" if its
                     else rest.split()[0])
        rest = rest[its.end():] if its else rest.partition(" ")[2]
    return " ".join(words)


def overlap_of(blocks):
    """The share of the producers' working time, in percent, in which a consumer
    of their block works too; None where there are no producers."""
    work = together = 0
    for block in blocks:
        changes = collections.defaultdict(lambda: [0, 0])
        for warp in block:
            for phase, begin, end in warp.visits():
                if phase not in WAITING:
                    changes[begin][warp.is_producer] += 1
                    changes[end][warp.is_producer] -= 1
        at, working = 0, [0, 0]
        for now in sorted(changes):
            if working[True]:
                work += now - at
                together += (now - at) * bool(working[False])
            at, working = now, [a + b for a, b in zip(working, changes[now])]
    return round(100 * together / work, 2) if work else None
