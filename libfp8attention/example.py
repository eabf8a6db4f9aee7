"""A model's own tensors through libfp8attention, beside PyTorch's attention.

  example.py LIBRARY.so [FILE.json STAGE KERNEL_HASH]     ('make example' builds it)

With a file, the figures go there, too, with the stage and the hash of its kernel.
Exit code: 0; 1 an output is wrong; 2 usage; 3 this machine cannot run it."""

import math
import os
import statistics
import sys
import time

from fp8attention import forward, load, problem_of, torch

sys.path.append(os.path.join(os.path.dirname(__file__), "../tools/common"))
from command import end, stop, write
from recorded import as_json

try:
    from torch.nn.functional import scaled_dot_product_attention
except ImportError:
    scaled_dot_product_attention = None

# As in tools/peers: twice what FP8 kernels that round P to E4M3 err by, and far
# less than a wrong head or scale.
LARGEST_RELATIVE_ERROR = 0.04
# Scores of normal numbers lose a tenth of that in the tensor cores' sums.
LARGEST_LSE_ERROR = 0.01
# What a sum of many keys may add to the error of one of few.
LARGEST_FURTHER_ERROR = 0.01
SUM_LENGTHS = 512, 32768
LAUNCHES, REPLAYS, CALLS = 20, 50, 200


def check_machine(path, file):
    """Ends the program where this machine cannot run it."""
    if torch is None:
        stop(3, "The example needs PyTorch for CUDA: 'sh tools/setup/setup.sh peers' "
                "installs it.")
    if not torch.cuda.is_available():
        stop(3, "The example needs a GPU of compute capability 9.0, and this "
                "PyTorch finds none.")
    if torch.cuda.get_device_capability() != (9, 0):
        stop(3, "The example needs a GPU of compute capability 9.0; this is "
                f"{torch.cuda.get_device_name()}.")
    if not os.path.exists(path):
        stop(3, f"There is no {path}: 'make library' builds it, with nvcc.")
    if file:
        write(file)


def quantise(x):
    """E4M3 codes of (batch, seq_len, heads, head_dim), and one scale a head."""
    amax = x.float().abs().amax(dim=(1, 3))
    scale = torch.where(amax > 0, amax / 448, torch.ones_like(amax))
    codes = (x.float() / scale[:, None, :, None]).to(torch.float8_e4m3fn)
    return codes, scale


def dequantise(codes, scale):
    return codes.float() * scale[:, None, :, None]


def quantised(numbers):
    """Of q, k and v, each (batch, seq_len, heads, head_dim): views of the codes
    and of an output that is all NaN, the scales, and what the codes stand for.
    """
    codes, scales = zip(*(quantise(x) for x in numbers))
    out = torch.full(numbers[0].shape, math.nan, device="cuda",
                     dtype=torch.float16)
    views = [x.transpose(1, 2) for x in (*codes, out)]
    exact = [dequantise(c, s).transpose(1, 2) for c, s in zip(codes, scales)]
    return views, scales, exact


def microseconds(launch):
    """The median time of a launch, of many in a CUDA graph."""
    launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(LAUNCHES):
            launch()
    times = []
    for _ in range(REPLAYS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(1000 * start.elapsed_time(end) / LAUNCHES)
    return statistics.median(times)


def host_microseconds(launch):
    """What a call costs the host, Python's share included."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(CALLS):
        launch()
    return 1e6 * (time.perf_counter() - start) / CALLS


def attention_of(q, k, v, causal):
    """PyTorch's."""
    options = {"enable_gqa": True} if k.shape[1] < q.shape[1] else {}
    return scaled_dot_product_attention(q, k, v, is_causal=causal, **options)


def name_of(batch, seq_len, heads, kv_heads, head_dim, causal, mean=0,
            drift=False):
    return (f"{batch} x {seq_len} x {heads}:{kv_heads} x {head_dim}"
            + " causal" * causal + f" mean {mean}" * bool(mean)
            + " drift" * drift)


def relative_error(out, wanted):
    off = (out.float() - wanted).square().sum() / wanted.square().sum()
    return off.sqrt().item()


#> in-parts
def in_parts(library, tensors, scales):
    """Output and log-sum-exp by two calls: one for the first third of the keys,
    one for the others."""
    q, k, v = tensors
    first = k.shape[2] // 3
    outs, sums = [], []
    for keys in slice(None, first), slice(first, None):
        out = torch.empty(q.shape, device="cuda", dtype=torch.float16)
        lse = torch.full(q.shape[:3], math.nan, device="cuda")
        part = (q, k[:, :, keys], v[:, :, keys])
        forward(library, problem_of(part, scales, out, False, lse=lse))
        outs.append(out.float())
        sums.append(lse)
    share = torch.sigmoid(sums[1] - sums[0])[..., None]
    return outs[0] - share * (outs[0] - outs[1]), torch.logaddexp(*sums)
#< in-parts


def parts_errors(library, tensors, scales, exact, wanted):
    """Of the output, relative; and the largest of the first head's log-sum-exp.
    """
    out, lse = in_parts(library, tensors, scales)
    q, k = (x[0, 0] for x in exact[:2])
    scores = q @ k.transpose(0, 1) / math.sqrt(q.shape[1])
    off = lse[0, 0] - torch.logsumexp(scores, 1)
    return relative_error(out, wanted), off.abs().max().item()


def run(library, batch, seq_len, heads, kv_heads, head_dim, causal,
        mean=0, drift=False):
    """Prints one line, and returns its figures. V lies around `mean`."""
    generator = torch.Generator("cuda").manual_seed(0)
    sizes = [(batch, seq_len, h, head_dim) for h in (heads, kv_heads, kv_heads)]
    numbers = [torch.randn(size, device="cuda", dtype=torch.float16,
                           generator=generator) for size in sizes]
    numbers[2] += mean
    views, scales, exact = quantised(numbers)
    problem = problem_of(views[:3], scales, views[3], causal, drift)
    forward(library, problem)

    wanted = attention_of(*exact, causal)
    error = relative_error(views[3], wanted)

    copies = [x.contiguous() for x in views]
    contiguous = problem_of(copies[:3], scales, copies[3], causal, drift)
    halves = [x.half() for x in exact]
    figures = {
        "name": name_of(batch, seq_len, heads, kv_heads, head_dim, causal,
                        mean, drift),
        "rel_rms": error,
        "right": error <= LARGEST_RELATIVE_ERROR,  # false for NaN
        "library_us": microseconds(lambda: forward(library, problem)),
        "contiguous_us": microseconds(lambda: forward(library, contiguous)),
        "torch_us": microseconds(lambda: attention_of(*halves, causal)),
        "host_us": host_microseconds(lambda: forward(library, problem)),
    }
    if not causal and not drift:
        of_parts, of_lse = parts_errors(library, views[:3], scales, exact,
                                        wanted)
        figures.update(parts_rel_rms=of_parts, lse_error=of_lse)
        figures["right"] &= (of_parts <= LARGEST_RELATIVE_ERROR
                             and of_lse <= LARGEST_LSE_ERROR)
    print("{name:30} {rel_rms:7.4f} {library_us:9.1f} {contiguous_us:11.1f} "
          "{torch_us:9.1f} {host_us:6.1f}".format(**figures),
          "" if figures["right"] else " WRONG")
    return figures


SHAPES = (  # batch, seq_len, heads, kv_heads, head_dim, causal, mean, drift
    (1, 512, 8, 8, 64, False), (2, 2048, 16, 16, 64, False),
    (2, 2048, 16, 16, 128, False), (2, 2048, 16, 16, 128, True),
    (1, 4096, 32, 8, 128, True), (3, 1001, 6, 2, 64, True),
    (1, 8192, 16, 16, 64, False), (1, 8192, 16, 16, 64, False, 0, True),
    (1, 8192, 16, 16, 64, False, 4))


#> kinds-of-v
def kinds_of_v(v, generator):
    """What V may be: of normal numbers, (batch, seq_len, heads, head_dim)."""
    seq_len, head_dim = v.shape[1], v.shape[3]
    turning = torch.full((seq_len, 1, 1), 4.0, device="cuda")
    turning[seq_len // 2:] = -4
    column = torch.zeros(head_dim, device="cuda")
    column[head_dim // 3] = 20

    def drawn(*size):
        return torch.randn(size, device="cuda", generator=generator)

    return {"around 0": v, "around 4": v + 4,
            "around 4, then -4": v + turning, "magnitudes": v.abs(),
            "one large column": v + column,
            "each column has a mean": v + 3 * drawn(head_dim),
            "keys differ in size": (v + 1) * drawn(seq_len, 1, 1).exp()}
#< kinds-of-v


def sums_of(library, seq_len, head_dim, seed):
    """For each kind of V, the error of the library's default and of drift,
    against attention on the same codes."""
    generator = torch.Generator("cuda").manual_seed(seed)
    size = (1, seq_len, 4, head_dim)
    q, k, v = (torch.randn(size, device="cuda", generator=generator)
               for _ in range(3))
    errors = {}
    for kind, values in kinds_of_v(v, generator).items():
        views, scales, exact = quantised((q, k, values))
        wanted = scaled_dot_product_attention(*exact)
        errors[kind] = []
        for drift in False, True:
            views[3].fill_(math.nan)
            forward(library, problem_of(views[:3], scales, views[3], False,
                                        drift))
            errors[kind].append(relative_error(views[3], wanted))
    return errors


def long_sums(library, head_dim, seed):
    """Prints a line for each kind of V, and returns their figures."""
    few, many = (sums_of(library, seq_len, head_dim, seed)
                 for seq_len in SUM_LENGTHS)
    each = []
    for kind, (error, drift) in many.items():
        figures = {"name": f"{kind}, {head_dim}", "few_rel_rms": few[kind][0],
                   "rel_rms": error, "drift_rel_rms": drift, "seed": seed,
                   "right": error <= few[kind][0] + LARGEST_FURTHER_ERROR}
        print("{name:30} {few_rel_rms:7.4f}  {rel_rms:7.4f}  "
              "{drift_rel_rms:7.4f}".format(**figures),
              "" if figures["right"] else " WRONG")
        each.append(figures)
    return each


def report(lists, file, stage, kernel_hash):
    """Writes the lists of figures if there is a file to write; the exit code.
    """
    if file:
        meta = {"stage": stage, "kernel_hash": kernel_hash,
                "device": {"name": torch.cuda.get_device_name()},
                "torch": torch.__version__}
        write(file, as_json({"build_meta": meta, **lists}))
    return 0 if all(figures["right"] for each in lists.values()
                    for figures in each) else 1


def start(main, usage):
    """Calls main with the words of the command line, and ends the program."""
    if len(sys.argv) not in (2, 5):
        stop(2, usage)
    end(main, *sys.argv[1:])


def main(path, file=None, stage=None, kernel_hash=None):
    check_machine(path, file)
    library = load(path)
    print(f"Relative RMS error, at most {LARGEST_RELATIVE_ERROR}; microseconds "
          "a launch in a graph: the library\non views and on contiguous copies "
          "(FP8), PyTorch (fp16); microseconds of the host.")
    print(f"{'batch x rows x heads:kv x dim':30}   error   library  contiguous"
          "   PyTorch   host")
    each = [run(library, *shape) for shape in SHAPES]
    seed = int.from_bytes(os.urandom(4), "little")
    few, many = SUM_LENGTHS
    print(f"\nThe same error for {few} keys, for {many:,}, at most "
          f"{LARGEST_FURTHER_ERROR} more, and for {many:,} with drift;\n"
          f"by what V is, with heads of 64 and of 128 numbers, seed {seed}.")
    sums = [figures for head_dim in (64, 128)
            for figures in long_sums(library, head_dim, seed)]
    return report({"example": each, "sums": sums}, file, stage, kernel_hash)


if __name__ == "__main__":
    start(main, __doc__)
