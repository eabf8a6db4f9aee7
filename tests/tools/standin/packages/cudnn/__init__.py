"""Stands in for NVIDIA's frontend of cuDNN: two calls, of which the one in FP8
saturates and rounds O as the scale that it is given says."""

from types import SimpleNamespace

from torch.cuda import work
from torch.nn.functional import attend
from torch.tensors import addresses, to_e4m3

__version__ = "standin"
data_type = SimpleNamespace(FLOAT="float32", HALF="float16",
                            FP8_E4M3="float8_e4m3fn")
heur_mode = SimpleNamespace(A=0, FALLBACK=1)


class cudnnGraphNotSupportedError(Exception):
    pass


def create_handle():
    return object()


def set_stream(handle, stream):
    pass


class Its:
    def __init__(self, dim=None, data_type=None):
        self.dim, self.kind = dim, data_type

    def set_output(self, wanted):
        self.wanted = wanted
        return self

    def set_dim(self, dim):
        self.dim = dim
        return self

    def set_stride(self, stride):
        return self

    def set_data_type(self, kind):
        self.kind = kind
        return self


class pygraph:
    def __init__(self, io_data_type, intermediate_data_type, compute_data_type,
                 handle):
        self.planned = False

    def tensor(self, dim, stride, data_type):
        return Its(dim, data_type)

    def sdpa(self, q, k, v, attn_scale, use_causal_mask, generate_stats):
        self.named = {"q": q, "k": k, "v": v}
        self.scale, self.causal, self.us = attn_scale, use_causal_mask, 9.0
        self.o = Its()
        return self.o, None

    def sdpa_fp8(self, descale_q, descale_k, descale_v, scale_s, descale_s,
                 scale_o, **its):
        out, _ = self.sdpa(**its)
        self.named |= {"descale_q": descale_q, "descale_k": descale_k,
                       "descale_v": descale_v, "scale_o": scale_o}
        self.us = 7.0
        return out, None, Its(), Its()

    def validate(self):
        assert self.o.wanted

    build_operation_graph = check_support = build_plans = validate

    def create_execution_plans(self, modes):
        if self.named["q"].dim[2] == 7:
            raise cudnnGraphNotSupportedError("S is 7\nand not 8")
        self.planned = True

    def get_workspace_size(self):
        return 16

    def execute(self, where, workspace, handle):
        assert self.planned
        data = {name: addresses[where[its]]
                for name, its in self.named.items()}
        out = addresses[where[self.o]]
        for name, its in self.named.items():
            assert data[name].dtype == its.kind
        work(self.us, lambda: self.fill(out, data))

    def fill(self, out, data):
        q, k, v = data["q"], data["k"], data["v"]
        if "scale_o" not in data:
            out.flat = attend(q, k, v, self.causal, self.scale).flat
            return
        scale = (self.scale * data["descale_q"].item()
                 * data["descale_k"].item())
        factor = data["descale_v"].item() * data["scale_o"].item()
        out.flat = [to_e4m3(x * factor)
                    for x in attend(q, k, v, self.causal, scale).flat]
