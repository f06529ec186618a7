"""Records what SciPy computes for the cases of interpolate_test.go, in scipy.json beside this file.

    python3 tensor/interpolate/testdata/record.py    # with SciPy 1.17
"""

import json
import pathlib

import numpy as np
import scipy.interpolate as p
import scipy.sparse.linalg

rng = np.random.default_rng(3)
cases = {}
beyond = [(0, 1), (-0.3, 0.4), (0.6, 1.2), (-1.5, 2.25), (1.5, -0.75), (2, 5), (-3, -3.5), (7.1, 7.1)]  # in spans of the points

for n in [2, 3, 4, 5, 12]:
    x = np.cumsum(0.3 + rng.random(n))
    y = rng.standard_normal((n, 2))
    if n == 12:
        y[3:6] = 0.5  # flat
        y[8] = y[7] + (y[9] - y[7]) * (x[8] - x[7]) / (x[9] - x[7])
    q = np.concatenate((x, np.linspace(x[0] - 0.4, x[-1] + 0.4, 23)))
    cases |= {f"x {n}": x, f"y {n}": y, f"q {n}": q}
    loop = y.copy()
    loop[-1] = loop[0]
    for name, v, bc in [("not-a-knot", y, "not-a-knot"), ("natural", y, "natural"), ("clamped", y, "clamped"),
        ("periodic", loop, "periodic"), ("slopes", y, ((1, [0.5, 0.5]), (1, [-2, -2]))), ("curvatures", y, ((2, [0.5, 0.5]), (2, [-2, -2])))]:
        s = p.CubicSpline(x, v, bc_type=bc)
        cases[f"cubic {name} {n}"] = s(q)
        cases[f"cubic {name} derivative {n}"] = s(q, 1)
        cases[f"cubic {name} integral {n}"] = s.integrate(x[0] + 0.1, x[-1] - 0.05)
        for i, (a, b) in enumerate(beyond):
            cases[f"cubic {name} integral {n} beyond {i}"] = s.integrate(x[0] + a * (x[-1] - x[0]), x[0] + b * (x[-1] - x[0]))
    s = p.CubicSpline(x, y)
    cases[f"antiderivative {n}"] = s.antiderivative()(q)
    cases[f"pchip {n}"] = p.PchipInterpolator(x, y)(q)
    cases[f"akima {n}"] = p.Akima1DInterpolator(x, y, extrapolate=True)(q)
    cases[f"makima {n}"] = p.Akima1DInterpolator(x, y, method="makima", extrapolate=True)(q)
    inside = np.clip(q, x[0], x[-1])
    for kind in ["linear", "nearest", "previous", "next"]:
        cases[f"{kind} {n}"] = p.interp1d(x, y, kind, axis=0)(inside)
    for k in [1, 2, 3, 4, 5]:
        if n > k:
            cases[f"spline {k} {n}"] = p.make_interp_spline(x, y, k)(q)
    if n >= 5:
        for lam in [1e-3, 1, 1e3]:
            cases[f"smoothing {lam:g} {n}"] = np.stack([p.make_smoothing_spline(x, y[:, i], lam=lam)(q) for i in range(2)], 1)
        w = 0.5 + rng.random(n)
        cases[f"weights {n}"] = w
        cases[f"smoothing weights {n}"] = p.make_smoothing_spline(x, y[:, 0], w, 0.1)(q)

x = np.linspace(0, 4, 60)
y = np.sin(2 * x) + 0.2 * rng.standard_normal(60)
cases |= {"noisy x": x, "noisy y": y, "smoothing gcv": p.make_smoothing_spline(x, y)(x)}

axes = [np.cumsum(0.3 + rng.random(n)) for n in (5, 4, 6)]
values = rng.standard_normal((5, 4, 6, 2))
places = np.stack([a[0] + (a[-1] - a[0]) * rng.random(20) for a in axes], 1)
places[:5] = [[a[i % len(a)] for a in axes] for i in range(5)]
places[5] = [a[-1] for a in axes]
cases |= {"axis 0": axes[0], "axis 1": axes[1], "axis 2": axes[2], "values": values, "places": places}
for method in ["linear", "nearest", "cubic"]:
    exact = {"solver": scipy.sparse.linalg.spsolve} if method == "cubic" else {}  # the default one stops at 1e-6
    cases[f"grid {method}"] = p.RegularGridInterpolator(axes, values, method, **exact)(places)
    far = places * 1.2 - 0.2
    cases[f"grid {method} far"] = p.RegularGridInterpolator(axes, values, method, bounds_error=False, fill_value=None, **exact)(far)


scattered, to = rng.random((30, 2)) * 3, rng.random((12, 2)) * 3
to[0] = scattered[4]
heights = np.stack([np.sin(scattered[:, 0]) * scattered[:, 1], scattered[:, 0]], 1)
cases |= {"scattered": scattered, "to": to, "heights": heights}
for kernel in ["thin_plate_spline", "linear", "cubic", "quintic", "gaussian", "multiquadric", "inverse_multiquadric", "inverse_quadratic"]:
    cases[f"rbf {kernel}"] = p.RBFInterpolator(scattered, heights, kernel=kernel, epsilon=1.5)(to)
cases["rbf smooth"] = p.RBFInterpolator(scattered, heights, smoothing=0.1, degree=2)(to)
cases["rbf line"] = p.RBFInterpolator(np.arange(30.)[:, None], heights[:, 0], kernel="cubic")(10 * to[:, :1])

cases["scattered places"] = places2 = np.concatenate((scattered[:5], rng.random((40, 2)) * 3))
for name, method in {"linear": "linear", "nearest": "nearest"}.items():
    cases[f"griddata {name}"] = p.griddata(scattered, heights, places2, method)
cases["griddata cubic"] = p.CloughTocher2DInterpolator(scattered, heights, tol=1e-14, maxiter=10000)(places2)


def flat(v):
    v = np.asarray(v, float)
    v = np.where(np.isnan(v), 1e300, v)  # JSON has no NaN
    return {"shape": v.shape, "values": [float(f"{e:.12g}") for e in v.ravel()]}


text = ",\n".join(f"{json.dumps(k)}: {json.dumps(flat(v), separators=(',', ':'))}" for k, v in cases.items())
(pathlib.Path(__file__).parent / "scipy.json").write_text("{\n" + text + "\n}\n")
