"""Prints the errors on a model's tensors. Needs no PyTorch."""

from tables.timed import made_on


def row(name, entry):
    heads = entry.get("heads", list, "an array", None)
    if not heads:
        absent = entry.text("absent", "nothing is recorded")
        return f"  {name:30s} {absent}"
    worst = entry.number("worst")
    return "  %-30s %9.1e %9.1e  %5d%s" % (
        name, entry.number("rel_rms"), worst, heads.index(max(heads)),
        "  wrong" if "wrong" in entry.value else "")


def lines(result):
    yield made_on(result.section("build_meta"))
    for part in result.section("real").sections().values():
        numbers = part.get("shape", list, "an array")
        yield (f"\nrecorded layer {part.number('layer')}, its rows "
               f"{part.number('times')} times: B, H, S, D = "
               f"{', '.join(str(n) for n in numbers)}; relative RMS errors")
        yield "  %-30s %9s %9s  %s" % ("", "all heads", "the worst", "which")
        for name, entry in part.section("contenders").sections().items():
            yield row(name, entry)
