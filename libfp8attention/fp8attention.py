"""Attention in FP8 for PyTorch, forward, by libfp8attention:

  from fp8attention import attention
  o = attention(q, k, v, causal=True)

q, k and v are bf16 or fp16, (batch, heads, seq_len, head_dim), on a GPU of
compute capability 9.0; k and v may have fewer heads. They become E4M3 with a
scale for each head, and o is of their kind. It is an operator of PyTorch, so it
may be compiled and captured; it has no backward pass."""

import ctypes
import functools
import math
import os

try:
    import torch
except ImportError:
    torch = None

LIBRARY = os.path.join(os.path.dirname(__file__), "libfp8attention.so")
NO_KEYS = -1


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
        + [("softmax_scale", ctypes.c_float), ("causal", ctypes.c_int),
           ("drift", ctypes.c_int), ("key_len", ctypes.c_int64),
           ("lse", ctypes.c_void_p), ("size", ctypes.c_uint32)]
        + [(name, ctypes.c_int) for name in (
            "o_format", "batch_invariant", "max_multiprocessors")]
        + [("workspace", ctypes.c_void_p)])


class Tensor(ctypes.Structure):
    """fp8attention_tensor, as fp8attention.h has it."""

    _fields_ = (
        [(name, ctypes.c_int64) for name in (
            "batch", "heads", "seq_len", "head_dim")]
        + [("format", ctypes.c_int)]
        + [(name, ctypes.c_void_p) for name in ("values", "codes", "scale")]
        + [(name, Strides) for name in ("values_strides", "codes_strides")])


def load(path):
    library = ctypes.CDLL(os.path.abspath(path))
    pointer = ctypes.c_void_p
    library.fp8attention_forward.argtypes = [ctypes.POINTER(Problem), pointer]
    library.fp8attention_quantise.argtypes = [
        ctypes.POINTER(Tensor), ctypes.c_int, pointer, pointer]
    library.fp8attention_forward_workspace.argtypes = [ctypes.POINTER(Problem)]
    library.fp8attention_forward_workspace.restype = ctypes.c_int64
    library.fp8attention_workspace.argtypes = [ctypes.POINTER(Tensor),
                                               ctypes.c_int]
    library.fp8attention_workspace.restype = ctypes.c_int64
    library.fp8attention_error_text.restype = ctypes.c_char_p
    return library


def strides_of(view):
    *outer, last = view.stride()
    assert last == 1, "the numbers of a row lie side by side"
    return Strides(*outer)


def format_of(view):
    return {torch.float16: 1, torch.bfloat16: 2}[view.dtype]


def raise_for(library, code):
    if code:
        raise RuntimeError(library.fp8attention_error_text(code).decode())


#> problem-of
def problem_of(tensors, scales, out, causal, drift=False, lse=None, **options):
    """What the library is told. q, k, v and out are views of (batch, heads,
    seq_len, head_dim), whose rows may lie anywhere; lse is contiguous."""
    q, k, v = tensors
    batch, heads, seq_len, head_dim = q.shape
    options.setdefault("softmax_scale", 1 / math.sqrt(head_dim))
    return Problem(batch, heads, k.shape[1], seq_len, head_dim,
                   *(view.data_ptr() for view in (q, k, v, out)),
                   *(strides_of(view) for view in (q, k, v, out)),
                   *(scale.data_ptr() for scale in scales),
                   causal=causal, drift=drift, key_len=k.shape[2] or NO_KEYS,
                   lse=None if lse is None else lse.data_ptr(),
                   size=ctypes.sizeof(Problem), o_format=format_of(out),
                   **options)


def forward(library, problem):
    # PyTorch hands the workspace out again in the stream's order.
    size = library.fp8attention_forward_workspace(ctypes.byref(problem))
    workspace = torch.empty(size, dtype=torch.uint8, device="cuda")
    problem.workspace = workspace.data_ptr() or None
    stream = torch.cuda.current_stream().cuda_stream
    raise_for(library, library.fp8attention_forward(ctypes.byref(problem),
                                                    stream))
#< problem-of


#> tensor-of
def tensor_of(values, codes, scale):
    """What the library is told of one tensor: views of (batch, heads, seq_len,
    head_dim), whose rows may lie anywhere, and of (batch, heads)."""
    return Tensor(*values.shape, format_of(values), values.data_ptr(),
                  codes.data_ptr(), scale.data_ptr(), strides_of(values),
                  strides_of(codes))


def quantise(library, tensors, workspace):
    stream = torch.cuda.current_stream().cuda_stream
    raise_for(library, library.fp8attention_quantise(
        tensors, len(tensors), workspace.data_ptr(), stream))
#< tensor-of


@functools.cache
def installed():
    if not os.path.exists(LIBRARY):
        raise ImportError(f"There is no {LIBRARY}: 'pip install "
                          "./libfp8attention' builds it, with nvcc.")
    return load(LIBRARY)


def is_taken(x):
    return (x.stride(3) == 1 and x.data_ptr() % 16 == 0 and all(
        size == 1 or stride >= x.shape[3] and stride % 8 == 0
        for size, stride in zip(x.shape[:3], x.stride())))


def new_output(q):
    """As PyTorch's own attention has it: heads side by side."""
    batch, heads, seq_len, head_dim = q.shape
    return (q.new_empty(batch, seq_len, heads, head_dim).transpose(1, 2),
            q.new_empty(batch, heads, seq_len, dtype=torch.float32))


if hasattr(getattr(torch, "library", None), "custom_op"):
    #> operator
    @torch.library.custom_op("fp8attention::attention", mutates_args=())
    def operator(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor,
                 causal: bool, softmax_scale: float, drift: bool,
                 batch_invariant: bool, max_multiprocessors: int,
                 ) -> tuple[torch.Tensor, torch.Tensor]:
        library, out = installed(), new_output(q)
        values = [x if is_taken(x) else x.contiguous() for x in (q, k, v)]
        codes = [x.new_empty(x.shape, dtype=torch.uint8) for x in values]
        scales = [x.new_empty(x.shape[:2], dtype=torch.float32)
                  for x in values]
        tensors = (Tensor * 3)(*map(tensor_of, values, codes, scales))
        with torch.cuda.device(q.device):
            workspace = q.new_empty(library.fp8attention_workspace(tensors, 3),
                                    dtype=torch.uint8)
            quantise(library, tensors, workspace)
            forward(library, problem_of(
                codes, scales, out[0], causal, drift, out[1],
                softmax_scale=softmax_scale, batch_invariant=batch_invariant,
                max_multiprocessors=max_multiprocessors))
        return out

    @operator.register_fake
    def _(q, k, v, causal, softmax_scale, drift, batch_invariant,
          max_multiprocessors):
        return new_output(q)
    #< operator


def attention(q, k, v, causal=False, softmax_scale=None, *, return_lse=False,
              drift=False, batch_invariant=False, max_multiprocessors=0):
    """o, or o and lse. softmax_scale is 1 / sqrt(head_dim) unless said; what
    the others mean stands in fp8attention.h."""
    if not hasattr(getattr(torch, "library", None), "custom_op"):
        raise ImportError("fp8attention needs PyTorch 2.4 or later; this is "
                          f"{getattr(torch, '__version__', 'none')}.")
    if any(x.dim() != 4 for x in (q, k, v)) or k.shape != v.shape or (
            q.shape[0], q.shape[3]) != (k.shape[0], k.shape[3]):
        raise ValueError("q, k and v are (batch, heads, seq_len, head_dim); k "
                         "and v are alike, and may differ from q in heads and "
                         "in seq_len.")
    if q.dtype not in (torch.float16, torch.bfloat16) or any(
            (x.dtype, x.device) != (q.dtype, q.device) for x in (k, v)):
        raise ValueError("q, k and v are all bf16 or all fp16, on one device.")
    if q.device.type != "cuda":
        raise ValueError("fp8attention needs tensors on a GPU of compute "
                         f"capability 9.0; q is on {q.device}.")
    if softmax_scale is None:
        softmax_scale = 1 / math.sqrt(q.shape[3])
    out, lse = operator(q, k, v, causal, softmax_scale, drift, batch_invariant,
                        max_multiprocessors)
    return (out, lse) if return_lse else out
