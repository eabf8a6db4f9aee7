"""What only a GPU can say of the library and its operator, a line for each:

  make library && python3 tests/library/on_gpu.py

PyTorch 2.4 or later. Exit code: 0, or 1 where a line says WRONG."""

import ctypes
import math
import pathlib
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "libfp8attention"))
import fp8attention  # noqa: E402
import torch  # noqa: E402
from fp8attention import attention  # noqa: E402
from torch.nn.functional import scaled_dot_product_attention  # noqa: E402

fp8attention.LIBRARY = str(
    ROOT / "build/gpu/libfp8attention/libfp8attention.so")
LARGEST_RELATIVE_ERROR = 0.12  # as in path.py
wrong = []


def say(what, right, figure=""):
    print(f"{what:62} {figure} {'' if right else 'WRONG'}")
    if not right:
        wrong.append(what)


def drawn(batch, heads, rows, width, dtype=torch.bfloat16, device="cuda:0"):
    """A view, as a layer of a model makes it."""
    return torch.randn(batch, rows, heads, width, dtype=dtype,
                       device=device).transpose(1, 2)


def error_of(out, q, k, v, causal, scale=None):
    rows, keys = q.shape[2], k.shape[2]
    seen = torch.ones(rows, keys, dtype=torch.bool, device=q.device)
    wanted = scaled_dot_product_attention(
        q.double(), *(x.double().repeat_interleave(
            q.shape[1] // x.shape[1], 1) for x in (k, v)), scale=scale,
        attn_mask=seen.tril(keys - rows) if causal else None)
    return ((out - wanted).pow(2).mean().sqrt()
            / wanted.pow(2).mean().sqrt()).item()


def problem(q, k, v, out):
    """Codes as they come, and scales of 1."""
    scale = torch.ones(q.shape[:2], device="cuda")
    return fp8attention.problem_of((q, k, v), (scale,) * 3, out, True), scale


def first_call_of_a_thread(library):
    codes = torch.zeros(1, 2, 64, 64, dtype=torch.uint8, device="cuda")
    out = torch.empty(codes.shape, dtype=torch.bfloat16, device="cuda")
    told, keep = problem(codes, codes, codes, out)
    said = []
    thread = threading.Thread(target=lambda: said.append(
        library.fp8attention_forward(ctypes.byref(told), None)))
    thread.start()
    thread.join()
    say("first call of the process, from a thread new to CUDA",
        said == [0] and keep is not None, said)


def against_pytorch():
    for dtype in torch.bfloat16, torch.float16:
        for width in 64, 128:
            for rows, keys, causal in ((300, 300, True), (100, 1000, True),
                                       (500, 77, False), (1, 4096, True)):
                q = drawn(2, 4, rows, width, dtype)
                k, v = (drawn(2, 2, keys, width, dtype) for _ in range(2))
                error = error_of(attention(q, k, v, causal), q, k, v, causal)
                say(f"{rows} rows, {keys} keys, {width}, causal {causal}, "
                    f"{dtype}", error <= LARGEST_RELATIVE_ERROR, f"{error:.4f}")


def compiled_and_captured():
    q = drawn(1, 8, 512, 128)
    wanted = attention(q, q, q, causal=True)
    whole = torch.compile(lambda x: attention(x, x, x, causal=True),
                          fullgraph=True)
    say("compiled: the same bits", torch.equal(whole(q), wanted))
    torch.library.opcheck(fp8attention.operator,
                          (q, q, q, True, 0.125, False, False, 0))
    say("opcheck", True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = attention(q, q, q, causal=True)
    out.zero_()
    graph.replay()
    say("captured: the same bits", torch.equal(out, wanted))


def edges():
    q, k, v = (drawn(1, 2, 200, 64) for _ in range(3))
    out, lse = attention(q, k[:, :, :0], v[:, :, :0], return_lse=True)
    say("no keys", not out.any() and (lse == -math.inf).all())
    say("no rows", attention(q[:, :, :0], k, v).numel() == 0)
    out, lse = attention(q, k[:, :, :50], v[:, :, :50], True, return_lse=True)
    say("rows without keys under a mask",
        not out[:, :, :150].any() and (lse[:, :, :150] == -math.inf).all()
        and out[:, :, 150:].isfinite().all())
    for what, by, by_v in (("v around 1e6", 1, 1e6), ("v of 1e-22", 1, 1e-22),
                           ("q, k of 1e-22", 1e-22, 1)):
        out = attention(q * by, k * by, v * by_v, True)
        error = error_of(out, q * by, k * by, v * by_v, True)
        say(what, error <= LARGEST_RELATIVE_ERROR, f"{error:.4f}")
    large = torch.full((1, 1, 1, 64), 133120.0, device="cuda").bfloat16()
    say("q = k = v = 133,120", (attention(large, large, large) == large).all())


def devices():
    if torch.cuda.device_count() < 2:
        return print("one device here: another than the current was not tried")
    q = drawn(1, 4, 300, 64, device="cuda:1")
    error = error_of(attention(q, q, q), q, q, q, False)
    return say("on another device than the current one", error < 0.12
               and torch.cuda.current_device() == 0, f"{error:.4f}")


def main():
    library = fp8attention.installed()
    first_call_of_a_thread(library)
    against_pytorch()
    compiled_and_captured()
    edges()
    devices()
    torch.cuda.synchronize()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
