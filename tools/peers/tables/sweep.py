"""Prints a recorded sweep, worst first. Needs no PyTorch."""

import statistics

from tables.timed import made_on


def row(name, shape):
    ratio = shape.number("ratio", None)
    if ratio is None:
        absent = shape.text("absent", "a stage or a peer takes no part")
        return f"  {name:26s} no ratio: {absent}"
    within = shape.get("within", bool, "true or false")
    return "  %-26s %6.3f %10.2f %10.2f %8.2f  %-3s  %s / %s" % (
        name, ratio, shape.number("ours_us"), shape.number("best_us"),
        shape.number("noise_us"), "yes" if within else "NO",
        shape.text("ours"), shape.text("best"))


def left_out(shapes, unavailable):
    """A line for each contender that some shapes had to do without, but for
    those that cannot run here at all and those that were slow."""
    first, count = {}, {}
    for where, shape in shapes.items():
        entries = shape.section("contenders", None)
        for name, entry in entries.sections().items() if entries else ():
            absent = entry.text("absent", "")
            if (name not in unavailable
                    and absent.startswith(("cannot", "wrong"))):
                first.setdefault(name, (where, absent))
                count[name] = count.get(name, 0) + 1
    for name, (where, absent) in first.items():
        yield (f"{name} was left out at {count[name]} of {len(shapes)} "
               f"shapes, first at {where}: {absent}")


def summary(tolerance, compared, count):
    if not compared:
        return f"No ratio at any of {count} shapes."
    within = [s for s in compared if s.value["within"]]
    ratios = [s.value["ratio"] for s in compared]
    return (f"{len(within)} of {len(compared)} shapes are within "
            f"{tolerance:g} % and the noise, {count - len(compared)} have no "
            f"ratio; median {statistics.median(ratios):.3f}, worst "
            f"{max(ratios):.3f}.")


def lines(result):
    meta = result.section("build_meta")
    yield made_on(meta)
    said = {name: its.text("absent", None) for name, its
            in meta.section("contenders").sections().items()}
    unavailable = {name: why for name, why in said.items() if why is not None}
    for name, why in unavailable.items():
        yield f"{name} takes no part: {why}"
    section = result.section("sweep")
    shapes = section.section("shapes").sections()
    tolerance = section.number("tolerance_percent")
    yield (f"\n{len(shapes)} shapes in {section.number('seconds'):.0f} s, the "
           "worst first; us a launch, medians, in graphs")
    yield "  %-26s %6s %10s %10s %8s  %-3s  %s" % (
        "B, H:KV, S, D", "ratio", "ours", "best peer", "noise",
        f"{tolerance:g} %", "ours / best peer")
    ratios = {name: shape.number("ratio", None)
              for name, shape in shapes.items()}
    # Those without a ratio stand at the end.
    for name in sorted(shapes, key=lambda name: -(ratios[name] or 0)):
        yield row(name, shapes[name])
    yield from left_out(shapes, unavailable)
    yield summary(tolerance, [shape for name, shape in shapes.items()
                              if ratios[name] is not None], len(shapes))
