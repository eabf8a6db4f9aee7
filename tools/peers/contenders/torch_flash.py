"""PyTorch's attention: FlashAttention-2."""

from torch.nn.attention import SDPBackend

from sdpa import Attention


class Contender(Attention):
    place = 3
    backend = SDPBackend.FLASH_ATTENTION
