"""cuDNN's attention in FP8, which PyTorch does not offer. It takes one scale a
tensor, and its O is E4M3 too: it is given the best scale for that."""

import torch

from frontend import Frontend, Graph
from stages import E4M3_MAX


class Contender(Frontend):
    precision = "E4M3"
    place = 6

    def build(self, cudnn):
        problem = self.problem
        self.scale_of_out = E4M3_MAX / problem.largest
        self.graph = Graph(cudnn, cudnn.data_type.FP8_E4M3)
        self.out = torch.empty_like(problem.codes[0])
        scales = {"descale_" + name: scale
                  for name, scale in zip("qkv", problem.tensor_scales)}
        # P is at most 1.
        scales |= {"scale_s": E4M3_MAX, "descale_s": 1 / E4M3_MAX,
                   "scale_o": self.scale_of_out}
        out, _, largest_p, largest_o = self.graph.graph.sdpa_fp8(
            **self.operands(problem.codes),
            **{name: self.graph.number(value)
               for name, value in scales.items()})
        self.graph.unused(largest_p)
        self.graph.unused(largest_o)
        self.graph.output(out, self.out)

    def output(self):
        return self.out.float() / self.scale_of_out
