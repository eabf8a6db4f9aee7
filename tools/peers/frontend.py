"""cuDNN through its own frontend: what its contenders have in common."""

import math

import torch

from contender import Contender, package


def module():
    """(the frontend, None) or (None, why not)."""
    return package("cudnn", "nvidia-cudnn-frontend")


class Graph:
    """One call of cuDNN: what goes in, what comes out, and the plan for it."""

    def __init__(self, cudnn, io):
        self.cudnn, self.io = cudnn, io
        self.handle, self.stream = cudnn.create_handle(), None
        wide = cudnn.data_type.FLOAT
        self.graph = cudnn.pygraph(io_data_type=io, intermediate_data_type=wide,
                                   compute_data_type=wide, handle=self.handle)
        self.kept, self.addresses = [], {}

    def keep(self, its, data):
        self.kept.append(data)
        self.addresses[its] = data.data_ptr()
        return its

    def tensor(self, data):
        return self.keep(self.graph.tensor(
            dim=list(data.shape), stride=list(data.stride()),
            data_type=self.io), data)

    def number(self, value):
        return self.keep(self.graph.tensor(
            dim=[1, 1, 1, 1], stride=[1, 1, 1, 1],
            data_type=self.cudnn.data_type.FLOAT),
            torch.full((1,), value, device="cuda"))

    def output(self, its, data):
        its.set_output(True).set_dim(list(data.shape)).set_stride(
            list(data.stride())).set_data_type(self.io)
        self.keep(its, data)

    def unused(self, its):
        """An output that nobody wants: the largest number of P or O."""
        its.set_output(False).set_dim([1, 1, 1, 1]).set_stride(
            [1, 1, 1, 1]).set_data_type(self.cudnn.data_type.FLOAT)

    def plan(self):
        modes = self.cudnn.heur_mode
        self.graph.validate()
        self.graph.build_operation_graph()
        self.graph.create_execution_plans([modes.A, modes.FALLBACK])
        self.graph.check_support()
        self.graph.build_plans()
        self.workspace = torch.empty(max(self.graph.get_workspace_size(), 1),
                                     device="cuda", dtype=torch.uint8)

    def execute(self, stream):
        if stream != self.stream:
            self.cudnn.set_stream(handle=self.handle, stream=stream)
            self.stream = stream
        self.graph.execute(self.addresses, self.workspace.data_ptr(),
                           handle=self.handle)


class Frontend(Contender):
    @classmethod
    def unavailable(cls):
        return module()[1]

    @classmethod
    def version(cls):
        return getattr(module()[0], "__version__", None)

    def prepare(self):
        self.build(module()[0])
        self.graph.plan()

    def build(self, cudnn):
        """Makes self.graph and self.out."""
        raise NotImplementedError

    def operands(self, sources):
        shape = self.problem.shape
        named = {name: self.graph.tensor(data)
                 for name, data in zip("qkv", sources)}
        return named | {"attn_scale": 1 / math.sqrt(shape.head_dim),
                        "use_causal_mask": shape.causal,
                        "generate_stats": False}

    def launch(self):
        self.graph.execute(torch.cuda.current_stream().cuda_stream)
