"""Stands in for FlashAttention-3, as strict as its C++ in what it takes."""

from torch.cuda import work
from torch.nn.functional import attend
from torch.tensors import float32, float8_e4m3fn


def scaled(x, descale, group):
    """[B, S, H, D] in codes -> [B, H, S, D] in values"""
    x = x.transpose(1, 2).float()
    for b in range(x.shape[0]):
        for h in range(x.shape[1]):
            x[b, h] = x[b, h] * descale[b, h // group].item()
    return x


def flash_attn_func(q, k, v, softmax_scale=None, causal=False, q_descale=None,
                    k_descale=None, v_descale=None):
    batch, seq_len, heads, _ = q.shape
    kv_heads = k.shape[2]
    if k.shape[:2] != (batch, seq_len) or heads % kv_heads:
        raise RuntimeError("k must be [B, S, H, D]")
    for x, descale in ((q, q_descale), (k, k_descale), (v, v_descale)):
        if x.dtype != float8_e4m3fn or descale.dtype != float32:
            raise RuntimeError("another type is wanted")
        if descale.shape != (batch, kv_heads):
            raise RuntimeError("a descale must be [B, H_kv]")

    def compute():
        return attend(scaled(q, q_descale, heads // kv_heads),
                      scaled(k, k_descale, 1), scaled(v, v_descale, 1), causal,
                      softmax_scale).transpose(1, 2), None
    return work(5.0, compute)
