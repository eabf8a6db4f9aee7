"""Prints what is recorded: a run at some shapes, a sweep, or the errors on a
model's tensors. Needs no PyTorch."""

import statistics


def text(value, form):
    return "-" if value is None else form % value


def timed_row(entry, best, ceiling):
    absent = entry.text("absent", None)
    if absent is not None:
        return f"  {absent}"
    graph = entry.section("graph").number("p50_us")
    share = ceiling and 100 * ceiling.number("us") / graph
    return "%9.2f %9.2f %9.1f %7s  %8.1e %8s %9s" % (
        graph, entry.section("event").number("p50_us"),
        entry.number("tflops"), text(share, "%.0f %%"),
        entry.number("rel_rms"),
        text(entry.number("rel_rms_offset", None), "%.1e"),
        "%.2fx" % (graph / best))


def head(name, shape):
    heads = shape.number("kv_heads", None)
    variant = f"; {heads} K/V heads" if heads else ""
    variant += "; causal" if shape.get("causal", bool, False) else ""
    numbers = shape.get("shape", list)
    return (f"\n{name}: B, H, S, D = "
            f"{', '.join(str(n) for n in numbers)}{variant}; us a "
            f"launch, medians; noise {shape.number('noise_us'):.2f} us")


def clocks_line(clocks):
    return (f"  clock {clocks.number('clock_min_mhz'):.0f} to "
            f"{clocks.number('clock_max_mhz'):.0f} MHz, power "
            f"{clocks.number('power_mean_w'):.0f} W on average")


def shape_lines(name, shape, kernels):
    contenders = shape.section("contenders").sections()
    measured = [n for n, entry in contenders.items() if n in kernels
                and entry.section("graph", None)]
    # An arm that is no default stands beside its stage.
    ours = [n for n in measured if "." not in n] or measured
    yield head(name, shape)
    if not ours:
        return
    last = ours[-1]
    best = contenders[last].section("graph").number("p50_us")
    # Older records have the floor, which is another time.
    ceiling = shape.section("ceiling", None)
    yield "  %-30s %9s %9s %9s %7s  %8s %8s %9s" % (
        "", "graph", "event", "TFLOP/s", "ceiling", "rel. RMS", "V + 4",
        "/ " + last[:6])
    for contender, entry in contenders.items():
        yield f"  {contender:30s} {timed_row(entry, best, ceiling)}"
    if ceiling:
        yield (f"  {'the ceiling':30s} {ceiling.number('us'):9.2f}; what "
               f"binds: {ceiling.text('binding')}")
    clocks = shape.section("clocks", None)
    if clocks and clocks.value:
        yield clocks_line(clocks)


def made_on(meta):
    """Where and with what a result was measured: its first line."""
    device = meta.section("device")
    return (f"{device.text('name')}, driver {device.text('driver')}, "
            f"PyTorch {meta.text('torch')}, cuDNN {meta.number('cudnn')}, "
            f"{meta.text('date')[:10]}")


def timed(result):
    kernels = result.section("build_meta").section("kernels").value
    for name, shape in result.section("peers").sections().items():
        yield from shape_lines(name, shape, kernels)


# ---- a sweep ----

def sweep_row(name, shape):
    ratio = shape.number("ratio", None)
    if ratio is None:
        absent = shape.text("absent", "a stage or a peer takes no part")
        return f"  {name:26s} no ratio: {absent}"
    within = shape.get("within", bool)
    return "  %-26s %6.3f %10.2f %10.2f %8.2f  %-3s  %s / %s" % (
        name, ratio, shape.number("ours_us"), shape.number("best_us"),
        shape.number("noise_us"), "yes" if within else "NO",
        shape.text("ours"), shape.text("best"))


def left_out(shapes, unavailable):
    """A line for each contender that some shapes had to do without, but for
    those that cannot run here at all and those that were slow."""
    found = {}
    for where, shape in shapes.items():
        entries = shape.section("contenders", None)
        for name, entry in entries.sections().items() if entries else ():
            absent = entry.text("absent", "")
            if (name not in unavailable
                    and absent.startswith(("cannot", "wrong"))):
                found.setdefault(name, []).append(f"{where}: {absent}")
    for name, its in found.items():
        yield (f"{name} was left out at {len(its)} of {len(shapes)} shapes, "
               f"first at {its[0]}")


def summary(tolerance, compared, count):
    if not compared:
        return f"No ratio at any of {count} shapes."
    within = [s for s in compared if s.value["within"]]
    ratios = [s.value["ratio"] for s in compared]
    return (f"{len(within)} of {len(compared)} shapes are within "
            f"{tolerance:g} % and the noise, {count - len(compared)} have no "
            f"ratio; median {statistics.median(ratios):.3f}, worst "
            f"{max(ratios):.3f}.")


def sweep(result):
    """The worst first."""
    said = {name: its.text("absent", None) for name, its in result.section(
        "build_meta").section("contenders").sections().items()}
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
        yield sweep_row(name, shapes[name])
    yield from left_out(shapes, unavailable)
    yield summary(tolerance, [shape for name, shape in shapes.items()
                              if ratios[name] is not None], len(shapes))


# ---- a model's tensors ----

def real_row(name, entry):
    heads = entry.get("heads", list, None)
    if not heads:
        absent = entry.text("absent", "nothing is recorded")
        return f"  {name:30s} {absent}"
    worst = entry.number("worst")
    return "  %-30s %9.1e %9.1e  %5d%s" % (
        name, entry.number("rel_rms"), worst, heads.index(max(heads)),
        "  wrong" if "wrong" in entry.value else "")


def real(result):
    for part in result.section("real").sections().values():
        numbers = part.get("shape", list)
        yield (f"\nrecorded layer {part.number('layer')}, its rows "
               f"{part.number('times')} times: B, H, S, D = "
               f"{', '.join(str(n) for n in numbers)}; relative RMS errors")
        yield "  %-30s %9s %9s  %s" % ("", "all heads", "the worst", "which")
        for name, entry in part.section("contenders").sections().items():
            yield real_row(name, entry)


def show(result):
    """Prints a result, a Section of recorded.py: all of it, or Unreadable."""
    table = next((its for key, its in (("sweep", sweep), ("real", real))
                  if key in result.value), timed)
    lines = [made_on(result.section("build_meta")), *table(result)]
    print("\n".join(lines))
