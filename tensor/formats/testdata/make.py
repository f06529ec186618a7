"""Writes the files in this folder with NumPy and PyTorch, which are what formats must be able to read. Run it here."""
import collections

import numpy as np
import torch

for name in ["f2", "f4", "f8", "u1", "u4", "i2", "i4", "i8", "b1"]:
    a = np.arange(6).reshape(2, 3)
    np.save(f"{name}.npy", (a % 2 if name == "b1" else a).astype(name))
np.save("fortran.npy", np.asfortranarray(np.arange(24, dtype="f4").reshape(2, 3, 4)))
np.save("scalar.npy", np.float32(3.5))
np.save("empty.npy", np.zeros((0, 4), "f4"))
with open("version2.npy", "wb") as f:
    np.lib.format.write_array(f, np.arange(4, dtype="i8"), version=(2, 0))
np.save("big_endian.npy", np.arange(6, dtype=">f4").reshape(2, 3))
for name, a in {"complex": np.zeros(2, "c8"), "u2": np.zeros(2, "u2"), "i1": np.zeros(2, "i1")}.items():
    np.save(f"bad_{name}.npy", a)
arrays = {"x": np.arange(3, dtype="f4"), "y": np.arange(4, dtype="i8").reshape(2, 2)}
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)

base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
state = {"base": base, "turned": base.t(), "part": base[1:3, ::2], "stretched": torch.tensor([7.0]).expand(3), "scalar": torch.tensor(2.5), "none": torch.zeros(0, 3)}
for d in [torch.float64, torch.float16, torch.bfloat16, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool]:
    state[str(d).split(".")[1]] = torch.tensor([1, 0, 1]).to(d)
torch.save(state, "state.pt")
torch.save({"epoch": 3, "state_dict": collections.OrderedDict(w=base, p=torch.nn.Parameter(torch.ones(2, 2)))}, "nested.pt")
torch.manual_seed(0)
torch.save(torch.nn.Linear(3, 2).state_dict(), "module.pt")
torch.save({"x": torch.zeros(2)}, "legacy.pt", _use_new_zipfile_serialization=False)
