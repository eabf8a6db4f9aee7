"""PyTorch's attention as products and a softmax, all scores in memory."""

from torch.nn.attention import SDPBackend

from sdpa import Attention


class Contender(Attention):
    place = 1
    backend = SDPBackend.MATH
