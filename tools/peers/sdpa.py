"""PyTorch's four ways to compute attention, each a contender."""

from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from contender import Contender


# In the order of the table: products and a softmax, all scores in memory;
# xFormers' memory-efficient attention; FlashAttention-2; and cuDNN's, as
# PyTorch calls it.
BACKENDS = {"math": "MATH", "efficient": "EFFICIENT_ATTENTION",
            "flash": "FLASH_ATTENTION", "cudnn": "CUDNN_ATTENTION"}


class Attention(Contender):
    backend = None

    @classmethod
    def unavailable(cls):
        if not hasattr(SDPBackend, cls.backend):
            return "not in this PyTorch"

    def prepare(self):
        shape = self.problem.shape
        self.options = {"is_causal": shape.causal}
        if shape.grouped:  # a PyTorch that lacks it can do the others
            self.options["enable_gqa"] = True

    def context(self):
        return sdpa_kernel([getattr(SDPBackend, self.backend)])

    def launch(self):
        self.out = scaled_dot_product_attention(*self.problem.halves,
                                                **self.options)


KINDS = [type(name, (Attention,), {"name": f"torch_{name}", "place": place,
                                   "backend": backend})
         for place, (name, backend) in enumerate(BACKENDS.items(), 1)]
