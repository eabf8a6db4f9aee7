"""PyTorch's attention as products and a softmax, all scores in memory."""

import math

from torch.nn.attention import SDPBackend

from sdpa import Attention


class Contender(Attention):
    place = 1
    backend = SDPBackend.MATH

    @classmethod
    def bytes(cls, shape):
        # Scores and P in fp32, before and behind the mask; K and V once more
        # for each head of Q.
        scores = shape.batch * shape.heads * shape.seq_len ** 2
        return 16 * scores + 12 * math.prod(shape.of_q)
