"""Has espeak-ng say rows of digits in several voices, for 18-speech.ipynb: a file of Ogg Opus for each voice, and
digits.csv, which says what is said in which seconds of it.

    apt install espeak-ng opus-tools && python3 digits.py

Kept are the files of espeak-ng 1.51 and opusenc 0.2. What espeak-ng makes of a text is not under its licence.
"""
import csv
import os
import random
import struct
import subprocess
import wave

here = os.path.dirname(os.path.abspath(__file__))
out = os.path.join(here, "digits")
words = "zero one two three four five six seven eight nine".split()
# name: accent, variant, words a minute, pitch; the last four are kept from the training
voices = {
    "ada": ("en-us", "f2", 165, 55), "ben": ("en-us", "m3", 160, 45), "cleo": ("en-gb", "f4", 175, 60),
    "dan": ("en-gb", "m1", 150, 40), "eve": ("en-us", "f5", 185, 50), "finn": ("en-gb-scotland", "m4", 165, 50),
    "gus": ("en-gb-x-rp", "m7", 155, 35), "hana": ("en-us", "Annie", 170, 55), "ivo": ("en-gb-x-gbclan", "m2", 175, 45),
    "june": ("en-gb-x-rp", "f1", 160, 65), "kurt": ("en-us", "Michael", 165, 40), "lea": ("en-gb", "f3", 150, 58),
    "max": ("en-us", "m5", 170, 42), "nora": ("en-gb", "belinda", 165, 52), "otis": ("en-gb-scotland", "m6", 160, 48),
    "pia": ("en-us", "f1", 170, 62),
}


def say(text, voice, path):
    accent, variant, speed, pitch = voice
    subprocess.run(["espeak-ng", "-v", f"{accent}+{variant}", "-s", str(speed), "-p", str(pitch), "-w", path, text], check=True)
    with wave.open(path) as f:
        rate, data = f.getframerate(), f.readframes(f.getnframes())
    samples = struct.unpack(f"<{len(data) // 2}h", data)
    loud = [i for i, s in enumerate(samples) if abs(s) > 200]
    pad = rate // 20
    return rate, samples[max(loud[0] - pad, 0):loud[-1] + pad]


random.seed(1)
os.makedirs(out, exist_ok=True)
rows = []
for name, voice in voices.items():
    deck = words * 4
    random.shuffle(deck)
    track, rate, path = [], 0, os.path.join(out, "say.wav")
    for i in range(0, len(deck), 4):
        text = " ".join(deck[i:i + 4])
        rate, samples = say(text, voice, path)
        rows.append([name, f"{len(track) / rate:.3f}", f"{(len(track) + len(samples)) / rate:.3f}", text])
        track += list(samples)
    with wave.open(path, "w") as f:
        f.setnchannels(1), f.setsampwidth(2), f.setframerate(rate)
        f.writeframes(struct.pack(f"<{len(track)}h", *track))
    subprocess.run(["opusenc", "--quiet", "--bitrate", "12", "--serial", "1", "--discard-comments", path, os.path.join(out, name + ".opus")], check=True)
    os.remove(path)
with open(os.path.join(out, "digits.csv"), "w", newline="") as f:
    csv.writer(f, lineterminator="\n").writerows([["voice", "start", "end", "text"]] + rows)
