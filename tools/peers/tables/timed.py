"""Prints a recorded peers.json as a table. Needs no PyTorch."""


def text(value, form):
    return "-" if value is None else form % value


def row(entry, best, ceiling):
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
    variant += "; causal" if shape.get("causal", bool, "true or false",
                                       False) else ""
    numbers = shape.get("shape", list, "an array")
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
        yield f"  {contender:30s} {row(entry, best, ceiling)}"
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


def lines(result):
    meta = result.section("build_meta")
    yield made_on(meta)
    kernels = meta.section("kernels").value
    for name, shape in result.section("peers").sections().items():
        yield from shape_lines(name, shape, kernels)
