"""The inputs of a shape, the same for all, and what is right for them."""

import math
import random

import torch

from stages import quantise

ROWS_A_HEAD, ROWS_IN_ALL = 64, 2048


def drawn(shape, seed=0, device="cuda", v_mean=0.0):
    """Q, K and V, one after another: normal numbers, V around its mean."""
    generator = torch.Generator(device).manual_seed(seed)
    for size, mean in ((shape.of_q, 0.0), (shape.of_kv, 0.0),
                       (shape.of_kv, v_mean)):
        numbers = torch.randn(size, generator=generator, device=device)
        numbers += mean
        yield numbers


class Problem:
    """Q, K and V in fp32, [B, H, S, D], quantised to E4M3 once: the kernels for
    FP8 get the codes, the others the same values in fp16. All heads of a tensor
    have one scale, because cuDNN takes no more. Q's is multiplied by q_factor:
    all contenders take 1/sqrt(D) as the softmax scale."""

    def __init__(self, shape, tensors, q_factor=1.0, device="cuda"):
        self.shape, self.device = shape, device
        self.codes, self.scales, self.values = [], [], []
        self.tensor_scales = []
        for factor, numbers in zip((q_factor, 1.0, 1.0), tensors):
            size = numbers.shape
            codes, scale = quantise(numbers)
            scale = scale * factor
            self.codes.append(codes)
            self.tensor_scales.append(scale.item())
            self.scales.append(scale.expand(size[:2]).contiguous())
            self.values.append(codes.float() * scale)
        self.halves = [value.half() for value in self.values]
        self.rows = None  # those that are judged; None: all
        self.largest = None

    def sample(self, seed=0):
        """Judges some rows of each head from now on, drawn for each head, but
        for the first of every second one and the last of the others."""
        shape = self.shape
        heads = shape.batch * shape.heads
        count = min(ROWS_A_HEAD, shape.seq_len, max(2, ROWS_IN_ALL // heads))
        drawn = random.Random(seed)
        last = shape.seq_len - 1
        self.rows = torch.tensor(
            [[[last * (head % 2)]
              + [drawn.randint(0, last) for _ in range(count - 1)]
              for head in range(shape.heads)] for _ in range(shape.batch)],
            device=self.device)

    def judged(self, out):
        """The rows of an output that the reference has."""
        if self.rows is None:
            return out
        rows = self.rows[..., None].expand(*self.rows.shape, out.shape[3])
        return out.gather(2, rows)

    def reference(self):
        """In double, head by head, so that any S fits. Sets `largest`: no
        number of O is larger; of some rows twice the largest must do."""
        shape = self.shape
        q, k, v = self.values
        keys = torch.arange(shape.seq_len, device=q.device)
        count = shape.seq_len if self.rows is None else self.rows.shape[2]
        out = torch.empty((shape.batch, shape.heads, count, shape.head_dim),
                          device=q.device, dtype=torch.float64)
        for batch in range(shape.batch):
            for head in range(shape.heads):
                kv = batch, head // (shape.heads // shape.kv_heads)
                rows = keys if self.rows is None else self.rows[batch, head]
                scores = q[batch, head][rows].double() @ k[kv].double().T
                scores /= math.sqrt(shape.head_dim)
                if shape.causal:
                    scores.masked_fill_(keys[None] > rows[:, None], -math.inf)
                out[batch, head] = torch.softmax(scores, 1) @ v[kv].double()
        self.largest = out.abs().max().item()
        if self.rows is not None:
            self.largest *= 2
        return out
