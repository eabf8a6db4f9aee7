"""PyTorch's attention: The memory-efficient attention of xFormers."""

from torch.nn.attention import SDPBackend

from sdpa import Attention


class Contender(Attention):
    place = 2
    backend = SDPBackend.EFFICIENT_ATTENTION
