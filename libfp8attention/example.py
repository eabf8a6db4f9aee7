"""A model's own tensors through libfp8attention, beside PyTorch's attention.

  example.py LIBRARY.so      ('make example' builds it first)

Exit code: 0; 1 an output is wrong; 3 this machine cannot run it."""

import ctypes
import math
import os
import statistics
import sys

try:
    import torch
    from torch.nn.functional import scaled_dot_product_attention
except ImportError:
    torch = None

# Rounding P to E4M3 alone gives 0.025 where inputs are normal; a wrong scale, a
# wrong head or a lost tile gives ten times that.
LARGEST_RELATIVE_ERROR = 0.04
LAUNCHES, REPLAYS = 20, 50


class Strides(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("batch", "head", "row")]


class Problem(ctypes.Structure):
    """fp8attention_problem, as fp8attention.h has it."""

    _fields_ = (
        [(name, ctypes.c_int64) for name in (
            "batch", "heads", "kv_heads", "seq_len", "head_dim")]
        + [(name, ctypes.c_void_p) for name in ("q", "k", "v", "o")]
        + [(name, Strides) for name in (
            "q_strides", "k_strides", "v_strides", "o_strides")]
        + [(name, ctypes.c_void_p) for name in (
            "q_scale", "k_scale", "v_scale")]
        + [("softmax_scale", ctypes.c_float), ("causal", ctypes.c_int)])


def stop(code, sentence):
    print(sentence, file=sys.stderr)
    sys.exit(code)


def load(path):
    library = ctypes.CDLL(os.path.abspath(path))
    library.fp8attention_forward.argtypes = [ctypes.POINTER(Problem),
                                             ctypes.c_void_p]
    library.fp8attention_error_text.restype = ctypes.c_char_p
    return library


def quantise(x):
    """E4M3 codes of (batch, seq_len, heads, head_dim), and one scale a head."""
    amax = x.float().abs().amax(dim=(1, 3))
    scale = torch.where(amax > 0, amax / 448, torch.ones_like(amax))
    codes = (x.float() / scale[:, None, :, None]).to(torch.float8_e4m3fn)
    return codes, scale


def dequantise(codes, scale):
    return codes.float() * scale[:, None, :, None]


def problem_of(tensors, scales, out, causal):
    """What the library is told. q, k, v and out are views of (batch, heads,
    seq_len, head_dim), whose rows may lie anywhere."""
    q, k, v = tensors
    batch, heads, seq_len, head_dim = q.shape
    strides = []
    for view in (q, k, v, out):
        *outer, last = view.stride()
        assert last == 1, "the numbers of a row lie side by side"
        strides.append(Strides(*outer))
    return Problem(batch, heads, k.shape[1], seq_len, head_dim,
                   *(view.data_ptr() for view in (q, k, v, out)), *strides,
                   *(scale.data_ptr() for scale in scales),
                   1 / math.sqrt(head_dim), causal)


def forward(library, problem):
    stream = torch.cuda.current_stream().cuda_stream
    code = library.fp8attention_forward(ctypes.byref(problem), stream)
    if code:
        raise RuntimeError(library.fp8attention_error_text(code).decode())


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


def run(library, batch, seq_len, heads, kv_heads, head_dim, causal):
    """Prints one line; True where the output is right."""
    generator = torch.Generator("cuda").manual_seed(0)
    sizes = [(batch, seq_len, h, head_dim) for h in (heads, kv_heads, kv_heads)]
    numbers = [torch.randn(size, device="cuda", dtype=torch.float16,
                           generator=generator) for size in sizes]
    codes, scales = zip(*(quantise(x) for x in numbers))
    out = torch.full(sizes[0], math.nan, device="cuda", dtype=torch.float16)
    problem = problem_of([x.transpose(1, 2) for x in codes], scales,
                         out.transpose(1, 2), causal)
    forward(library, problem)

    exact = [dequantise(c, s).transpose(1, 2) for c, s in zip(codes, scales)]
    options = {"is_causal": causal}
    if kv_heads < heads:
        options["enable_gqa"] = True
    wanted = scaled_dot_product_attention(*exact, **options)
    off = (out.transpose(1, 2).float() - wanted).square().sum().sqrt()
    error = (off / wanted.square().sum().sqrt()).item()
    right = error <= LARGEST_RELATIVE_ERROR  # false for NaN

    halves = [x.half() for x in exact]
    ours = microseconds(lambda: forward(library, problem))
    theirs = microseconds(
        lambda: scaled_dot_product_attention(*halves, **options))
    name = f"{batch} x {seq_len} x {heads}:{kv_heads} x {head_dim}"
    print(f"{name + (' causal' if causal else ''):30} {error:10.4f} "
          f"{ours:12.1f} {theirs:12.1f}  {'right' if right else 'WRONG'}")
    return right


def main(path):
    if torch is None:
        stop(3, "The example needs PyTorch for CUDA: 'sh tools/setup.sh peers' "
                "installs it.")
    if not torch.cuda.is_available():
        stop(3, "The example needs a GPU of compute capability 9.0, and this "
                "PyTorch finds none.")
    if torch.cuda.get_device_capability() != (9, 0):
        stop(3, "The example needs a GPU of compute capability 9.0; this is "
                f"{torch.cuda.get_device_name()}.")
    if not os.path.exists(path):
        stop(3, f"There is no {path}: 'make library' builds it, with nvcc.")
    library = load(path)
    print("batch x seq_len x heads:kv_heads x head_dim; relative RMS error, at "
          f"most {LARGEST_RELATIVE_ERROR}; microseconds a launch in a graph, "
          "the library's on FP8 and PyTorch's on fp16")
    print(f"{'':30} {'error':>10} {'library':>12} {'PyTorch':>12}")
    right = [run(library, *sizes) for sizes in (
        (2, 2048, 16, 16, 64, False), (2, 2048, 16, 16, 128, False),
        (2, 2048, 16, 16, 128, True), (1, 4096, 32, 8, 128, True),
        (3, 1001, 6, 2, 64, True))]
    return 0 if all(right) else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        stop(2, __doc__)
    sys.exit(main(sys.argv[1]))
