"""Writes small sounds in the formats that libsndfile writes, and in sounds.npz what it decodes of them, into the folder sounds beside this file. FLAC has whole numbers, which come back as they were.

    pip install soundfile && python3 sounds.py
"""
import os

import numpy as np
import soundfile

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sounds")
decoded = {}


def tone(rate, channels, seconds=0.15):
    t = np.arange(int(rate * seconds)) / rate
    r = np.random.default_rng(5)
    waves = [0.4 * np.sin(2 * np.pi * (220 + 110 * c) * t * (1 + t)) + 0.05 * r.standard_normal(len(t)) for c in range(channels)]
    return np.clip(np.stack(waves, 1), -1, 1)


def write(name, rate, channels, subtype, **options):
    path = f"{here}/{name}"
    soundfile.write(path, tone(rate, channels), rate, subtype=subtype, **options)
    samples, rate = soundfile.read(path, dtype="int32" if name.endswith("flac") else "float32", always_2d=True)
    key = name.replace(".", "_")
    if name.endswith("flac"):
        decoded[key] = samples.T
    else:
        decoded[key] = np.round(samples.T * 32768).clip(-32768, 32767).astype(np.int16)
    print(name, samples.shape, rate)


for name, rate, channels, subtype in (
    ("mono16.flac", 16000, 1, "PCM_16"), ("stereo24.flac", 8000, 2, "PCM_24"), ("six8.flac", 8000, 6, "PCM_S8"),
):
    write(name, rate, channels, subtype)
for name, rate, channels in (("mono.mp3", 16000, 1), ("stereo.mp3", 44100, 2), ("mono48.mp3", 48000, 1), ("stereo24.mp3", 24000, 2)):
    write(name, rate, channels, "MPEG_LAYER_III", format="MP3")
for name, rate, channels in (("mono.opus", 48000, 1), ("stereo.opus", 48000, 2)):
    write(name, rate, channels, "OPUS", format="OGG")
soundfile.write(f"{here}/vorbis.ogg", tone(8000, 1), 8000, subtype="VORBIS", format="OGG")
np.savez_compressed(f"{here}/sounds.npz", **decoded)
