"""Records in scipy.json beside this file what SciPy computes for the cases of TestSciPy.

    /usr/bin/python3 tensor/signal/testdata/record.py
"""

import json
import pathlib

import numpy as np
from scipy import signal as s

rng = np.random.default_rng(3)
x = np.round(rng.standard_normal(300).cumsum() + np.sin(np.arange(300) / 5), 3)
xs = np.round(rng.standard_normal((3, 40, 2)), 3)
long = np.round(rng.standard_normal(1200), 3)
z = x[:100] + 1j * x[100:200]
steps = np.array([0, 1, 1, 1, 0, 2, 0, 3, 3, 1, 4, 4, 4, 2, 5, 0, 1, 1], float)
b, a = s.butter(3, 0.2)
sos = s.butter(5, [0.2, 0.4], "bandpass", output="sos")
zi = np.array([0.5, -0.25, 0.125])
ys, end = s.lfilter(b, a, xs, 1, zi=np.array([0.5, -0.25, 0.125]).reshape(1, 3, 1) * np.ones((3, 1, 2)))
short, shortend = s.lfilter(b, a, x[:2], zi=zi)
yz, endz = s.sosfilt(sos, x, zi=s.sosfilt_zi(sos))
peaks, props = s.find_peaks(x, prominence=1)
flat, flatprops = s.find_peaks(steps, prominence=0)
cases = {"x": x, "xs": xs, "long": long, "z": z, "steps": steps, "b": b, "a": a, "sos": sos,
         "lfilter": s.lfilter(b, a, x), "lfilter fir": s.lfilter([0.5, 0.25, 0.25], [2], x), "lfilter recursive": s.lfilter([2], [1, -0.9, 0.5], x),
         "lfilter long": s.lfilter(b, a, long), "lfilter order 1": s.lfilter([1], [1, -0.999], long),
         "lfilter order 9": s.lfilter(*s.butter(9, 0.3), long), "lfilter dim": ys, "lfilter end": end, "lfilter short": short,
         "lfilter short end": shortend, "lfilter complex": s.lfilter(b, a, z), "lfilter state": s.lfilter_zi(b, a),
         "lfilter order": s.lfilter(b, [1, 0.25], x), "lfilter many": s.lfilter(s.firwin(201, 0.3), 1, long),
         "sosfilt": s.sosfilt(sos, x), "sosfilt long": s.sosfilt(sos, long), "sosfilt from": yz, "sosfilt end": endz, "sosfilt state": s.sosfilt_zi(sos),
         "filtfilt": s.filtfilt(b, a, x), "filtfilt dim": s.filtfilt(b, a, xs, 1), "filtfilt fir": s.filtfilt([0.5, 0.5], 1, x),
         "sosfiltfilt": s.sosfiltfilt(sos, x), "sosfiltfilt odd": s.sosfiltfilt(s.butter(3, 0.3, output="sos"), xs, 1)}
kinds = {"lowpass": 0.3, "highpass": 0.3, "bandpass": [0.2, 0.5], "bandstop": [0.2, 0.5]}
for kind, w in kinds.items():
    for order in [1, 2, 3, 4, 7]:
        for name, out in [("butter", s.butter(order, w, kind, output="ba")), ("cheby1", s.cheby1(order, 0.5, w, kind, output="ba"))]:
            cases[f"{name} {kind} {order} b"], cases[f"{name} {kind} {order} a"] = out
        cases[f"butter {kind} {order} sos"] = s.butter(order, w, kind, output="sos")
        cases[f"cheby1 {kind} {order} sos"] = s.cheby1(order, 0.5, w, kind, output="sos")
    cases[f"firwin {kind}"] = s.firwin(21, w, pass_zero=kind)
    cases[f"firwin {kind} kaiser"] = s.firwin(21, w, pass_zero=kind, window=("kaiser", 4))
cases |= {"firwin even": s.firwin(20, 0.3), "freqz w": s.freqz(b, a, 50)[0], "freqz": s.freqz(b, a, 50)[1], "sosfreqz": s.sosfreqz(sos, 33)[1]}
for mode in ["full", "same", "valid"]:
    for n in [4, 5, 150]:
        cases[f"convolve {mode} {n}"] = s.convolve(x, x[:n], mode)
        cases[f"correlate {mode} {n}"] = s.correlate(z if n < 100 else x, (z if n < 100 else x)[:n], mode)
for name, options in {"": {}, " linear": {"detrend": "linear"}, " raw": {"detrend": False, "scaling": "spectrum"}, " rate": {"fs": 8}}.items():
    cases[f"periodogram{name}"] = s.periodogram(x, **options)[1]
    cases[f"welch{name}"] = s.welch(x, nperseg=64, **options)[1]
    if name != " raw":
        cases[f"spectrogram{name}"] = s.spectrogram(x, nperseg=50, **options)[2]
cases |= {"periodogram f": s.periodogram(x, fs=8)[0], "welch f": s.welch(x, fs=8)[0], "welch defaults": s.welch(x, fs=8)[1],
          "welch odd": s.welch(x, nperseg=45)[1], "welch complex": s.welch(z, nperseg=32, return_onesided=False)[1],
          "spectrogram f": s.spectrogram(x, fs=8)[0], "spectrogram t": s.spectrogram(x, fs=8)[1], "spectrogram defaults": s.spectrogram(x, fs=8)[2],
          "peaks": s.find_peaks(x)[0], "peaks height": s.find_peaks(x, height=(1, 8))[0], "peaks distance": s.find_peaks(x, distance=9)[0],
          "peaks prominence": peaks, "prominences": props["prominences"], "left bases": props["left_bases"], "right bases": props["right_bases"],
          "peaks flat": flat, "flat prominences": flatprops["prominences"], "flat left": flatprops["left_bases"], "flat right": flatprops["right_bases"],
          "detrend": s.detrend(xs, 1), "detrend constant": s.detrend(x, type="constant"), "hilbert": s.hilbert(x), "hilbert odd": s.hilbert(xs[:, :39], axis=1)}
for n in [100, 101, 299, 300, 301, 450, 601]:
    cases[f"resample {n}"] = s.resample(x, n)
    cases[f"resample odd {n}"] = s.resample(x[:299], n)
cases["resample complex"] = s.resample(z, 70)
for up, down in [(1, 2), (2, 1), (3, 2), (4, 6), (5, 7), (7, 5), (1, 10)]:
    cases[f"poly {up} {down}"] = s.resample_poly(x, up, down)
cases["poly dim"] = s.resample_poly(xs, 3, 4, 1)
for size, order, deriv in [(5, 2, 0), (11, 3, 0), (11, 3, 1), (21, 4, 2), (3, 0, 0), (1, 0, 0)]:
    cases[f"savgol {size} {order} {deriv}"] = s.savgol_filter(x, size, order, deriv, 0.5)
cases["savgol dim"] = s.savgol_filter(xs, 7, 2, axis=1)
cases |= {"medfilt": s.medfilt(x, 5), "medfilt 1": s.medfilt(x, 1), "decimate": s.decimate(x, 4), "decimate dim": s.decimate(xs, 3, axis=1),
          "tukey": s.windows.tukey(20, 0.4), "tukey periodic": s.windows.tukey(20, 0.25, False)}


def flat_list(v):
    v = np.asarray(v)
    if np.iscomplexobj(v):
        v = np.stack([v.real, v.imag], -1)
    return {"shape": v.shape, "values": [float(f"{e:.12g}") for e in v.ravel()]}


out = {name: flat_list(v) for name, v in cases.items()}
text = ",\n".join(f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in out.items())
(pathlib.Path(__file__).parent / "scipy.json").write_text("{\n" + text + "\n}\n")
