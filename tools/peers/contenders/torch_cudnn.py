"""PyTorch's attention: cuDNN's, as PyTorch calls it."""

from torch.nn.attention import SDPBackend

from sdpa import Attention


class Contender(Attention):
    place = 4
    backend = SDPBackend.CUDNN_ATTENTION
