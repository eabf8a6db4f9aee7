"""What PyTorch's four ways to compute attention have in common."""

from torch.nn.attention import sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from contender import Contender


class Attention(Contender):
    backend = None

    def prepare(self):
        shape = self.problem.shape
        self.options = {"is_causal": shape.causal}
        if shape.grouped:  # a PyTorch that lacks it can do the others
            self.options["enable_gqa"] = True

    def context(self):
        return sdpa_kernel([self.backend])

    def launch(self):
        self.out = scaled_dot_product_attention(*self.problem.halves,
                                                **self.options)
