"""Who takes part: our stages, and PyTorch's four ways to compute attention.
Each has a name, output(), launch() on the current stream, and a context in
which launch() is called, entered where no clock runs."""

import contextlib
import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from stages import AttentionArgs, dequantise, quantise

BACKENDS = {
    "torch_math": SDPBackend.MATH,
    "torch_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "torch_flash": SDPBackend.FLASH_ATTENTION,
    "torch_cudnn": SDPBackend.CUDNN_ATTENTION,
}


class Problem:
    """Normal inputs, quantised to E4M3 once: the stages get the codes, PyTorch
    the same values in fp16."""

    def __init__(self, batch, heads, seq_len, head_dim, seed=0):
        self.shape = (batch, heads, seq_len, head_dim)
        generator = torch.Generator("cuda").manual_seed(seed)
        self.codes, self.scales, self.values = [], [], []
        for _ in "qkv":
            numbers = torch.randn(self.shape, generator=generator,
                                  device="cuda")
            codes, scale = quantise(numbers)
            self.codes.append(codes)
            self.scales.append(scale)
            self.values.append(dequantise(codes, scale))
        self.halves = [value.half() for value in self.values]

    @property
    def flop(self):
        batch, heads, seq_len, head_dim = self.shape
        return 4 * batch * heads * seq_len * seq_len * head_dim

    def reference(self):
        """In double, head by head, so that any S fits."""
        out = torch.empty(self.shape, device="cuda", dtype=torch.float64)
        for batch in range(self.shape[0]):
            for head in range(self.shape[1]):
                q, k, v = (x[batch, head].double() for x in self.values)
                scores = q @ k.T / math.sqrt(self.shape[3])
                out[batch, head] = torch.softmax(scores, dim=1) @ v
        return out


class Stage:
    def __init__(self, library, problem):
        self.name, self.library = library.name, library
        self.problem = problem
        self.out = torch.full(problem.shape, math.nan, device="cuda",
                              dtype=torch.float16)
        pointers = [x.data_ptr() for x in problem.codes + problem.scales]
        self.arguments = AttentionArgs(*pointers, self.out.data_ptr(),
                                       *problem.shape,
                                       1 / math.sqrt(problem.shape[3]))

    def context(self):
        return contextlib.nullcontext()

    def launch(self):
        self.library.launch(self.arguments,
                            torch.cuda.current_stream().cuda_stream)

    def output(self):
        return self.out


class Backend:
    def __init__(self, name, problem):
        self.name, self.problem = name, problem
        self.out = None

    def context(self):
        return sdpa_kernel([BACKENDS[self.name]])

    def launch(self):
        self.out = scaled_dot_product_attention(*self.problem.halves)

    def output(self):
        return self.out


class Twin:
    """A contender once more: how far it is from itself is the noise."""

    def __init__(self, contender):
        self.contender = contender
        self.name = contender.name + " once more"
        self.context, self.launch = contender.context, contender.launch
