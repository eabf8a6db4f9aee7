"""Prints a recorded sweep, worst first. Needs no PyTorch."""

import statistics

from recorded import Section, Unreadable


def shapes_of(result):
    """The shapes of a sweep.json, each a Section."""
    found = []
    section = result.section("sweep")
    for index, value in enumerate(section.get("shapes", list, "an array")):
        place = ("sweep", "shapes", str(index))
        if not isinstance(value, dict):
            raise Unreadable(f"{result.path}: {'/'.join(place)} must be an "
                             "object.")
        found.append(Section(result.path, place, value))
    return found


def row(shape):
    name = shape.text("name")
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
    for shape in shapes:
        entries = shape.section("contenders", None)
        for name, entry in entries.sections().items() if entries else ():
            absent = entry.text("absent", "")
            if (name not in unavailable
                    and absent.startswith(("cannot", "wrong"))):
                first.setdefault(name, (shape.text("name"), absent))
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
    device = meta.section("device")
    yield (f"{device.text('name')}, driver {device.text('driver')}, "
           f"PyTorch {meta.text('torch')}, cuDNN {meta.number('cudnn')}, "
           f"{meta.text('date')[:10]}")
    said = {name: its.text("absent", None) for name, its
            in meta.section("contenders").sections().items()}
    unavailable = {name: why for name, why in said.items() if why is not None}
    for name, why in unavailable.items():
        yield f"{name} takes no part: {why}"
    shapes = shapes_of(result)
    section = result.section("sweep")
    tolerance = section.number("tolerance_percent")
    yield (f"\n{len(shapes)} shapes in {section.number('seconds'):.0f} s, the "
           "worst first; us a launch, medians, in graphs")
    yield "  %-26s %6s %10s %10s %8s  %-3s  %s" % (
        "B, H:KV, S, D", "ratio", "ours", "best peer", "noise",
        f"{tolerance:g} %", "ours / best peer")
    compared = [s for s in shapes if s.number("ratio", None) is not None]
    for shape in sorted(compared, key=lambda s: -s.value["ratio"]):
        yield row(shape)
    for shape in shapes:
        if shape not in compared:
            yield row(shape)
    yield from left_out(shapes, unavailable)
    yield summary(tolerance, compared, len(shapes))


def show(result):
    """Prints a result, a Section of recorded.py: all of it, or Unreadable."""
    print("\n".join(list(lines(result))))
