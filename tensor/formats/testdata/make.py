"""Writes the files in this folder with NumPy, PyTorch and Pillow, which are what formats must be able to read. Run it here."""
import collections

import numpy as np
import torch
from PIL import Image

for name in ["f2", "f4", "f8", "u1", "u4", "i2", "i4", "i8", "b1"]:
    a = np.arange(6).reshape(2, 3)
    np.save(f"{name}.npy", (a % 2 if name == "b1" else a).astype(name))
np.save("fortran.npy", np.asfortranarray(np.arange(24, dtype="f4").reshape(2, 3, 4)))
np.save("scalar.npy", np.float32(3.5))
np.save("empty.npy", np.zeros((0, 4), "f4"))
with open("version2.npy", "wb") as f:
    np.lib.format.write_array(f, np.arange(4, dtype="i8"), version=(2, 0))
np.save("big_endian.npy", np.arange(6, dtype=">f4").reshape(2, 3))
np.save("i1.npy", np.array([[-128, -1, 0], [1, 2, 127]], "i1"))
np.save("u2.npy", np.array([[0, 1, 2], [3, 40000, 65535]], ">u2"))
np.save("u8.npy", np.asfortranarray(np.array([[0, 1, 2], [3, 4, 2**53]], "u8")))
np.save("c8.npy", np.zeros(2, "c8"))
np.save("bad_u8.npy", np.array([1, 2**63], "u8"))
arrays = {"x": np.arange(3, dtype="f4"), "y": np.arange(4, dtype="i8").reshape(2, 2)}
np.savez("stored.npz", **arrays)
np.savez_compressed("deflated.npz", **arrays)

base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
state = {"base": base, "turned": base.t(), "part": base[1:3, ::2], "stretched": torch.tensor([7.0]).expand(3), "scalar": torch.tensor(2.5), "none": torch.zeros(0, 3)}
for d in [torch.float64, torch.float16, torch.bfloat16, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool]:
    state[str(d).split(".")[1]] = torch.tensor([1, 0, 1]).to(d)
torch.save(state, "state.pt")
torch.save({"epoch": 3, "state_dict": collections.OrderedDict(w=base, p=torch.nn.Parameter(torch.ones(2, 2)))}, "nested.pt")
torch.save(base, "alone.pt")
torch.save([base, torch.ones(2)], "list.pt")
torch.manual_seed(0)
torch.save(torch.nn.Linear(3, 2).state_dict(), "module.pt")
torch.save({"x": torch.zeros(2)}, "legacy.pt", _use_new_zipfile_serialization=False)

picture = Image.fromarray(np.arange(5 * 7 * 3, dtype="u1").reshape(5, 7, 3))
picture.save("picture.webp", lossless=True)
picture.save("picture.bmp")
picture.save("picture.tiff", compression="tiff_lzw")

deep = Image.fromarray((np.arange(35, dtype="u4") * 1873 % 65536).astype("u2").reshape(5, 7))
deep.save("grey16.png")
deep.save("grey16.tiff")
