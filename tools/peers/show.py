"""Prints a recorded peers.json as a table. Needs no PyTorch."""


def text(value, form):
    return "-" if value is None else form % value


def row(entry, best, floor):
    if "absent" in entry:
        return f"  {entry['absent']}"
    graph = entry["graph"]["p50_us"]
    return "%9.2f %9.2f %9.1f %6s  %8.1e %8s %9s" % (
        graph, entry["event"]["p50_us"], entry["tflops"],
        text(floor and 100 * floor["us"] / graph, "%.0f %%"), entry["rel_rms"],
        text(entry.get("rel_rms_offset"), "%.1e"), "%.2fx" % (graph / best))


def show(result):
    meta = result["build_meta"]
    print(f"{meta['device']['name']}, driver {meta['device']['driver']}, "
          f"PyTorch {meta['torch']}, cuDNN {meta['cudnn']}, "
          f"{meta['date'][:10]}")
    for name, shape in result["peers"].items():
        contenders = shape["contenders"]
        measured = [n for n in contenders if n in meta["kernels"]
                    and "graph" in contenders[n]]
        # An arm that is no default stands beside its stage.
        ours = [n for n in measured if "." not in n] or measured
        variant = f"; {shape['kv_heads']} K/V heads" if "kv_heads" in shape else ""
        variant += "; causal" if shape.get("causal") else ""
        print(f"\n{name}: B, H, S, D = "
              f"{', '.join(str(n) for n in shape['shape'])}{variant}; us a "
              f"launch, medians; noise {shape['noise_us']:.2f} us")
        if not ours:
            continue
        last = ours[-1]
        best = contenders[last]["graph"]["p50_us"]
        floor = shape.get("floor")
        print("  %-30s %9s %9s %9s %6s  %8s %8s %9s" % (
            "", "graph", "event", "TFLOP/s", "floor", "rel. RMS", "V + 4",
            "/ " + last[:6]))
        for contender, entry in contenders.items():
            print(f"  {contender:30s} {row(entry, best, floor)}")
        if floor:
            print(f"  {'the floor':30s} {floor['us']:9.2f}; what binds: "
                  f"{floor['binding']}")
        clocks = shape["clocks"]
        if clocks:
            print(f"  clock {clocks['clock_min_mhz']:.0f} to "
                  f"{clocks['clock_max_mhz']:.0f} MHz, power "
                  f"{clocks['power_mean_w']:.0f} W on average")
