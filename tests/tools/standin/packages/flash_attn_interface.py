"""Stands in for FlashAttention-3, as strict as its C++ in what it takes."""

from torch import float32, float8_e4m3fn, full
from torch.cuda import work


def flash_attn_func(q, k, v, softmax_scale=None, causal=False, q_descale=None,
                    k_descale=None, v_descale=None):
    batch, seq_len, heads, head_dim = q.shape
    kv_heads = k.shape[2]
    if k.shape[:2] != (batch, seq_len) or heads % kv_heads:
        raise RuntimeError("k must be [B, S, H, D]")
    if softmax_scale != head_dim ** -0.5:
        raise RuntimeError("another scale is wanted")
    for x, descale in ((q, q_descale), (k, k_descale), (v, v_descale)):
        if x.dtype != float8_e4m3fn or descale.dtype != float32:
            raise RuntimeError("another type is wanted")
        if descale.shape != (batch, kv_heads):
            raise RuntimeError("a descale must be [B, H_kv]")
    return work(5.0, lambda: (full(q.shape, 1.0), None))
