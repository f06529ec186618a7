"""Writes pictures with Pillow, whose channels and colours are those of the file, and what Pillow reads of them. Run it here."""
import base64
import json
import struct

import numpy as np
from PIL import Image

h, w = 11, 13
rng = np.random.default_rng(1)
y, x = np.mgrid[0:h, 0:w]
smooth = np.stack([x * 20, y * 23, 255 - x * 9 - y * 5], -1).clip(0, 255).astype("u1")
noisy = rng.integers(0, 256, (h, w, 3), "u1")
opacity = (x * 20).astype("u1")
bits = Image.fromarray(((x * 7 + y * 5) % 3 == 0).astype("u1") * 255).convert("1")
want = {}


def write(name, image, **options):
    image.save("pictures/" + name, **options)
    record(name)


def record(name):
    image = Image.open("pictures/" + name)
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    elif image.mode == "LA":
        image = image.convert("RGBA")
    elif image.mode == "1":
        image = image.convert("L")
    a = np.asarray(image)
    a = a[..., None] if a.ndim == 2 else a
    a = np.ascontiguousarray(a.transpose(2, 0, 1))
    want[name] = {"shape": a.shape, "pixels": base64.b64encode(a.tobytes()).decode()}


for name, pixels in [("smooth", smooth), ("noisy", noisy), ("black", smooth * 0), ("white", smooth * 0 + 255)]:
    write(f"{name}.webp", Image.fromarray(pixels), quality=90)
write("even.webp", Image.fromarray(noisy[:10, :12]), quality=50)
write("alpha.webp", Image.fromarray(np.dstack([smooth, opacity])), quality=90)
write("lossless.webp", Image.fromarray(np.dstack([smooth, opacity])), lossless=True)
write("opaque_lossless.webp", Image.fromarray(np.dstack([smooth, opacity * 0 + 255])), lossless=True)
frames = [Image.fromarray(np.roll(smooth, i, 0)) for i in range(3)]
write("animated.webp", frames[0], save_all=True, append_images=frames[1:], lossless=True)
part = Image.fromarray(np.dstack([smooth, opacity]))
write("animated_alpha.webp", part, save_all=True, append_images=frames[1:], quality=80)
for scheme in ["group3", "group4", "packbits"]:
    write(f"{scheme}.tif", bits, compression=scheme)
    write(f"{scheme}_white.tif", bits, compression=scheme, tiffinfo={262: 0})
write("alpha.tif", Image.fromarray(np.dstack([smooth, opacity])))
write("opaque.tif", Image.fromarray(np.dstack([smooth, opacity * 0 + 255])))
write("opaque.png", Image.fromarray(np.dstack([smooth, opacity * 0 + 255])))
write("alpha.png", Image.fromarray(np.dstack([smooth, opacity])))
write("grey_alpha.png", Image.fromarray(np.dstack([smooth[..., 0], opacity * 0 + 255]), "LA"))
write("palette.png", Image.fromarray(smooth).quantize(8))
write("palette_clear.png", Image.fromarray(smooth).quantize(8), transparency=3)
write("grey.bmp", Image.fromarray(smooth[..., 0]))
write("palette.bmp", Image.fromarray(smooth).quantize(8))
write("grey.gif", Image.fromarray(smooth[..., 0]))
write("palette.gif", Image.fromarray(smooth).quantize(8))


def on_screen(name, left, top, **options):
    """A GIF whose picture has another place and size than its screen."""
    Image.fromarray(smooth).quantize(8).save("pictures/" + name, **options)
    data = bytearray(open("pictures/" + name, "rb").read())
    data[6:10] = struct.pack("<HH", w + 6, h + 5)
    at = data.index(b"\x2c\x00\x00\x00\x00")
    data[at + 1:at + 5] = struct.pack("<HH", left, top)
    open("pictures/" + name, "wb").write(data)
    record(name)


on_screen("screen.gif", 3, 2)
on_screen("screen_clear.gif", 3, 2, transparency=1)

# What is refused: BigTIFF and planes one after the other.
Image.fromarray(smooth).save("pictures/big.tif", big_tiff=True)
entries = [(256, 3, 1, w), (257, 3, 1, h), (258, 3, 3, 8 + 2 + 12 * 10 + 4), (259, 3, 1, 1), (262, 3, 1, 2),
           (273, 4, 3, 8 + 2 + 12 * 10 + 4 + 6), (277, 3, 1, 3), (278, 3, 1, h), (279, 4, 3, 8 + 2 + 12 * 10 + 4 + 18), (284, 3, 1, 2)]
start = 8 + 2 + 12 * 10 + 4 + 30
head = b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", len(entries))
for tag, kind, n, v in entries:
    head += struct.pack("<HHII", tag, kind, n, v)
head += struct.pack("<I", 0) + struct.pack("<3H", 8, 8, 8)
head += struct.pack("<3I", *(start + i * h * w for i in range(3))) + struct.pack("<3I", *[h * w] * 3)
open("pictures/planar.tif", "wb").write(head + smooth.transpose(2, 0, 1).tobytes())
record("planar.tif")
Image.fromarray(smooth).save("pictures/big.tif", big_tiff=True)
record("big.tif")
json.dump(want, open("pictures/pixels.json", "w"), indent=1)
