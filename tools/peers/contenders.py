"""Who takes part: our stages, PyTorch's four ways to compute attention, and
cuDNN through its own frontend (frontend.py). Each has a name, output(),
launch() on the current stream, and a context in which launch() is called,
entered where no clock runs; missing() says what it lacks for the shape, or
nothing."""

import contextlib
import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from stages import AttentionArgs, quantise

BACKENDS = {
    "torch_math": SDPBackend.MATH,
    "torch_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "torch_flash": SDPBackend.FLASH_ATTENTION,
    "torch_cudnn": SDPBackend.CUDNN_ATTENTION,
}


class Problem:
    """Normal inputs, V around its mean, quantised to E4M3 once: the kernels for
    FP8 get the codes, the others the same values in fp16. All heads of a tensor
    have one scale, because cuDNN takes no more."""

    def __init__(self, shape, seed=0, device="cuda", v_mean=0.0):
        self.shape = shape
        generator = torch.Generator(device).manual_seed(seed)
        self.codes, self.scales, self.values = [], [], []
        self.tensor_scales = []
        for size, mean in ((shape.of_q, 0.0), (shape.of_kv, 0.0),
                           (shape.of_kv, v_mean)):
            numbers = torch.randn(size, generator=generator, device=device)
            numbers += mean
            codes, scale = quantise(numbers)
            self.codes.append(codes)
            self.tensor_scales.append(scale.item())
            self.scales.append(scale.expand(size[:2]).contiguous())
            self.values.append(codes.float() * scale)
        self.halves = [value.half() for value in self.values]

    def reference(self):
        """In double, head by head, so that any S fits."""
        shape = self.shape
        q, k, v = self.values
        out = torch.empty(shape.of_q, device=q.device, dtype=torch.float64)
        place = torch.arange(shape.seq_len, device=q.device)
        for batch in range(shape.batch):
            for head in range(shape.heads):
                kv = batch, head // (shape.heads // shape.kv_heads)
                scores = q[batch, head].double() @ k[kv].double().T
                scores /= math.sqrt(shape.head_dim)
                if shape.causal:
                    scores.masked_fill_(place[None] > place[:, None], -math.inf)
                out[batch, head] = torch.softmax(scores, 1) @ v[kv].double()
        return out


class Stage:
    def __init__(self, library, problem):
        self.name, self.library = library.name, library
        self.problem = problem
        shape = problem.shape
        self.out = torch.full(shape.of_q, math.nan, device="cuda",
                              dtype=torch.float16)
        pointers = [x.data_ptr() for x in problem.codes + problem.scales]
        self.args = AttentionArgs(*pointers, self.out.data_ptr(), *shape.of_q,
                                  1 / math.sqrt(shape.head_dim),
                                  shape.kv_heads, shape.causal)

    def missing(self):
        return self.library.missing(self.problem.shape)

    def context(self):
        return contextlib.nullcontext()

    def launch(self):
        self.library.launch(self.args,
                            torch.cuda.current_stream().cuda_stream)

    def output(self):
        return self.out


class Backend:
    def __init__(self, name, problem):
        self.name, self.problem = name, problem
        self.out = None
        shape = problem.shape
        self.options = {"is_causal": shape.causal}
        if shape.grouped:  # a PyTorch that lacks it can do the others
            self.options["enable_gqa"] = True

    def missing(self):
        return None

    def context(self):
        return sdpa_kernel([BACKENDS[self.name]])

    def launch(self):
        self.out = scaled_dot_product_attention(*self.problem.halves,
                                                **self.options)

    def output(self):
        return self.out


class Twin:
    """A contender once more: how far it is from itself is the noise."""

    def __init__(self, contender):
        self.contender = contender
        self.name = contender.name + " once more"
        self.context, self.launch = contender.context, contender.launch
