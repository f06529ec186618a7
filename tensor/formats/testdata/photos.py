"""Writes JPEG files of every subsampling of colours, and what Pillow (libjpeg-turbo) reads of them: pip install pillow==13.0.0 simplejpeg==1.9.0. Run it here."""
import base64
import io
import json

import numpy as np
import simplejpeg
from PIL import Image

rng = np.random.default_rng(1)
out = []
for h, w in [(24, 40), (11, 13), (16, 16), (17, 33), (3, 5), (5, 3), (2, 2), (1, 9), (9, 1), (1, 1), (4, 6)]:
    y, x = np.mgrid[0:h, 0:w]
    smooth = np.stack([x * 6, y * 9, 255 - x * 4 - y * 3], -1).clip(0, 255).astype("u1")
    smooth[h // 3 : h // 2, w // 3 : w // 2] = [250, 20, 20]
    noisy = rng.integers(0, 256, (h, w, 3), "u1")
    for name, pixels in [("smooth", smooth), ("noisy", noisy)]:
        for subsampling in ["444", "422", "420", "440", "411"]:
            data = simplejpeg.encode_jpeg(np.ascontiguousarray(pixels), 92, "RGB", subsampling)
            a = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).transpose(2, 0, 1)
            if h * w < 500 or name == "smooth":
                out.append({"name": f"{name} {h} × {w}, {subsampling}", "file": base64.b64encode(data).decode(), "shape": a.shape, "pixels": base64.b64encode(np.ascontiguousarray(a).tobytes()).decode()})
with open("photos.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(o, ensure_ascii=False) for o in out) + "\n]\n")
print(len(out))
