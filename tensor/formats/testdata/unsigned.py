"""Writes unsigned.pt, below.pt and unread.pt as torch.save does, without PyTorch: tensors of the types that it keeps in
untyped storages (_rebuild_tensor_v3), tensors in dicts and lists below others, and tensors that are not dense."""
import io, pickle, struct, sys, types, zipfile

modules = {name: types.ModuleType(name) for name in ["torch", "torch.storage", "torch._utils"]}
sys.modules.update(modules)


def define(module, name, thing):
    thing.__module__, thing.__qualname__, thing.__name__ = module, name, name
    setattr(modules[module], name, thing)
    return thing


class Name(type):
    """A class that pickles as a name in a module, as torch.uint16 does."""


untyped = define("torch.storage", "UntypedStorage", Name("UntypedStorage", (), {}))
floats = define("torch", "FloatStorage", Name("FloatStorage", (), {}))
dtypes = {n: define("torch", n, Name(n, (), {})) for n in ["uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2"]}
v2, v3, sparse = (define("torch._utils", n, lambda *args: None) for n in
                  ["_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_sparse_tensor"])


class Storage:
    def __init__(self, kind, key, count):
        self.id = ("storage", kind, key, "cpu", count)


class Call:
    def __init__(self, fn, *args):
        self.call = fn, args

    def __reduce__(self):
        return self.call


class Pickler(pickle.Pickler):
    def persistent_id(self, x):
        return x.id if isinstance(x, Storage) else None


def write(name, value, storages, order="little"):
    out = io.BytesIO()
    Pickler(out, 2).dump(value)
    entries = [("data.pkl", out.getvalue()), ("byteorder", order.encode())]
    entries += [(f"data/{i}", s) for i, s in enumerate(storages)] + [("version", b"3\n")]
    with zipfile.ZipFile(name + ".pt", "w", zipfile.ZIP_STORED) as z:
        for entry, data in entries:
            z.writestr(zipfile.ZipInfo(f"{name}/{entry}"), data)


def tensor(key, size, dtype):
    return Call(v3, Storage(untyped, key, size), 0, (2,), (1,), False, {}, dtypes[dtype])


def float_tensor(key):
    return Call(v2, Storage(floats, key, 2), 0, (2,), (1,), False, {})


numbers = {"w": float_tensor("0")}
for key, name in enumerate(["uint16", "uint32", "uint64", "float8_e4m3fn"], 1):
    numbers[name] = tensor(str(key), 16 >> max(0, 3 - key), name)
for order, sign in [("little", "<"), ("big", ">")]:
    data = [struct.pack(sign + "2f", 1, 2), struct.pack(sign + "2H", 1, 65535), struct.pack(sign + "2I", 2, 2**32 - 1),
            struct.pack(sign + "2Q", 3, 2**64 - 1), bytes([0x38, 0xC0])]
    write("unsigned" if order == "little" else "unsigned_big", numbers, data, order)
four = [struct.pack("<2f", i, i + 0.5) for i in range(4)]
write("below", {"w": float_tensor("0"), "epoch": 3, "optimizer": {"state": {0: {"step": 7, "mean": float_tensor("1")}},
                                                                 "lists": [float_tensor("2"), ("a", float_tensor("3"))]}}, four)
write("unread", {"w": float_tensor("0"), "s": Call(sparse, 1, (float_tensor("1"), float_tensor("2")))}, four)
write("unread_type", {"w": float_tensor("0"), "e": tensor("1", 2, "float8_e5m2")}, four)
