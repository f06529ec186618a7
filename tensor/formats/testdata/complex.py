"""Writes complex.pt as torch.save does, without PyTorch: complex tensors, one of them a lazy conjugate."""
import io, pickle, struct, sys, types, zipfile

torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
sys.modules["torch"], sys.modules["torch._utils"] = torch, utils


def _rebuild_tensor_v2(*args):
    raise NotImplementedError


_rebuild_tensor_v2.__module__ = "torch._utils"
utils._rebuild_tensor_v2 = _rebuild_tensor_v2
for name in ["ComplexFloatStorage", "ComplexDoubleStorage"]:
    setattr(torch, name, type(name, (), {"__module__": "torch"}))


class Storage:
    def __init__(self, kind, key, count):
        self.id = ("storage", kind, key, "cpu", count)


class Tensor:
    def __init__(self, *args):
        self.args = args

    def __reduce__(self):
        return _rebuild_tensor_v2, self.args


class Pickler(pickle.Pickler):
    def persistent_id(self, x):
        return x.id if isinstance(x, Storage) else None


single, double = Storage(torch.ComplexFloatStorage, "0", 3), Storage(torch.ComplexDoubleStorage, "1", 2)
state = {
    "single": Tensor(single, 0, (3,), (1,), False, {}),
    "conjugate": Tensor(single, 1, (2,), (1,), False, {}, {"conj": True, "neg": False}),
    "double": Tensor(double, 0, (2, 1), (1, 1), False, {}),
}
out = io.BytesIO()
Pickler(out, 2).dump(state)
with zipfile.ZipFile("complex.pt", "w", zipfile.ZIP_STORED) as z:
    for name, data in [("data.pkl", out.getvalue()), ("byteorder", b"little"), ("data/0", struct.pack("<6f", 1, 2, -3, 0.5, 0, -1)),
                       ("data/1", struct.pack("<4d", 1e300, -2, 0.25, 7)), ("version", b"3\n")]:
        z.writestr(zipfile.ZipInfo("complex/" + name), data)
