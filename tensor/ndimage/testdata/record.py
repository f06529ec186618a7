"""Records what SciPy computes for the cases of scipy_test.go, in scipy.json beside this file.

    python3 tensor/ndimage/testdata/record.py    # with SciPy 1.17
"""

import json
import pathlib

import numpy as np
import scipy.ndimage as nd

rng = np.random.default_rng(11)
cases = {}
images = {"line": rng.standard_normal(9), "image": rng.standard_normal((7, 6)), "volume": rng.standard_normal((4, 3, 5))}
images = {k: np.round(v, 4) for k, v in images.items()}
weights = {"line": [3], "image": [3, 4], "volume": [3, 2, 5]}
MODES = ["reflect", "mirror", "nearest", "wrap", "constant"]


def filtered(x, order, axes):
    y = np.pad(x, 40, mode="symmetric")
    for axis in axes:
        y = nd.spline_filter1d(y, order, axis, mode="mirror")
    return y[(slice(40, -40),) * y.ndim]


for name, x in images.items():
    w = np.round(rng.standard_normal(weights[name]), 3)
    cases |= {name: x, f"{name} weights": w}
    last = x.ndim - 1
    for mode in MODES:
        o = {"mode": mode, "cval": 1.5}
        key = f"{name} {mode}"
        cases[f"correlate {key}"] = nd.correlate(x, w, **o)
        cases[f"convolve {key}"] = nd.convolve(x, w, **o)
        cases[f"correlate1d {key}"] = nd.correlate1d(x, [1, -2, 3, 0.5, 7, 1, 1, 2, 3, 4, 5], last, **o)
        cases[f"uniform {key}"] = nd.uniform_filter(x, 4, **o)
        cases[f"gaussian {key}"] = nd.gaussian_filter(x, 1.3, **o)
        cases[f"gaussian order {key}"] = nd.gaussian_filter(x, 0.9, order=[2] + [1] * last, truncate=3, **o)
        cases[f"laplace {key}"] = nd.laplace(x, **o)
        cases[f"gaussian laplace {key}"] = nd.gaussian_laplace(x, 1, **o)
        cases[f"gaussian gradient {key}"] = nd.gaussian_gradient_magnitude(x, 1, **o)
        cases[f"sobel {key}"] = nd.sobel(x, last, **o)
        cases[f"prewitt {key}"] = nd.prewitt(x, 0, **o)
        cases[f"median {key}"] = nd.median_filter(x, 3, **o)
        cases[f"median even {key}"] = nd.median_filter(x, 4, **o)
        cases[f"percentile {key}"] = nd.percentile_filter(x, 30, size=3, **o)
        cases[f"maximum {key}"] = nd.maximum_filter(x, 4, **o)
        cases[f"minimum {key}"] = nd.minimum_filter(x, 5, **o)
        cases[f"rank {key}"] = nd.rank_filter(x, -2, footprint=w > -0.5, **o)
        cases[f"erosion {key}"] = nd.grey_erosion(x, 4, **o)
        cases[f"dilation {key}"] = nd.grey_dilation(x, 4, **o)
        cases[f"opening {key}"] = nd.grey_opening(x, 3, **o)
        cases[f"closing {key}"] = nd.grey_closing(x, footprint=w > -0.5, **o)
        cases[f"tophat {key}"] = nd.white_tophat(x, 3, **o)
        cases[f"morphological {key}"] = nd.morphological_gradient(x, 3, **o)
    for mode in MODES:
        o = {"mode": {"wrap": "grid-wrap"}.get(mode, mode), "cval": 1.5}
        at = rng.uniform(-3, 9, (x.ndim, 30))
        at[:, :3] = [[0, 1, n - 1] for n in x.shape]
        at = np.round(at, 5)
        cases[f"at {name} {mode}"] = at
        for order in range(4):
            key = f"{name} {mode} {order}"
            if mode == "reflect" and order > 1:
                # SciPy begins the recursions of this mode with values that are near: here they begin 40 elements before
                x, o["prefilter"] = filtered(x, order, range(x.ndim)), False
                cases[f"filter {key}"] = x
            cases[f"map {key}"] = nd.map_coordinates(x, at, order=order, **o)
            cases[f"shift {key}"] = nd.shift(x, [0.3] + [-1.2] * last, order=order, **o)
            cases[f"zoom {key}"] = nd.zoom(x, [1.6] + [0.7] * last, order=order, **o)
            if x.ndim > 1:
                plane = lambda *axes: x if o.get("prefilter", True) else filtered(images[name], order, axes)
                cases[f"rotate {key}"] = nd.rotate(plane(0, 1), 33, order=order, **o)
                cases[f"rotate keep {key}"] = nd.rotate(plane(0, last), -70, axes=(last, 0), reshape=False, order=order, **o)
            m = np.round(np.eye(x.ndim) * 0.8 + 0.1 * rng.standard_normal((x.ndim, x.ndim)), 4)
            cases[f"matrix {key}"] = m
            cases[f"affine {key}"] = nd.affine_transform(x, m, np.full(x.ndim, 0.4), output_shape=(5,) * x.ndim, order=order, **o)
            x = images[name]
    for order in [2, 3]:
        for mode in ["mirror", "grid-wrap"]:
            cases[f"filter {name} {mode} {order}"] = nd.spline_filter(x, order, mode=mode)
    b = np.asarray(rng.random(x.shape) < 0.6, float)
    mask = np.asarray(rng.random(x.shape) < 0.8, float)
    cases |= {f"binary {name}": b, f"mask {name}": mask}
    full = nd.generate_binary_structure(x.ndim, x.ndim)
    some = w > -0.5
    for border in [0, 1]:
        key = f"{name} {border}"
        cases[f"binary erosion {key}"] = nd.binary_erosion(b, border_value=border)
        cases[f"binary erosion full {key}"] = nd.binary_erosion(b, full, border_value=border, mask=mask)
        cases[f"binary dilation {key}"] = nd.binary_dilation(b, some, border_value=border)
        cases[f"binary dilation twice {key}"] = nd.binary_dilation(b, iterations=2, mask=mask, border_value=border)
    cases[f"binary opening {name}"] = nd.binary_opening(b)
    cases[f"binary closing {name}"] = nd.binary_closing(b)
    cases[f"fill {name}"] = nd.binary_fill_holes(b)
    cases[f"seeds {name}"] = seeds = b * (rng.random(x.shape) < 0.2)
    cases[f"propagation {name}"] = nd.binary_propagation(seeds, mask=b)
    for kind, s in {"faces": None, "all": full}.items():
        labels, n = nd.label(b, s)
        cases[f"label {kind} {name}"] = labels
    labels, n = nd.label(b)
    ids = np.arange(1, n + 1)
    for f in ["sum", "mean", "variance", "standard_deviation", "minimum", "maximum", "minimum_position", "maximum_position", "center_of_mass"]:
        cases[f"{f} {name}"] = getattr(nd, f)(x, labels, ids)
    cases[f"objects {name}"] = [[(s.start, s.stop) for s in o] for o in nd.find_objects(labels)]
    cases[f"distance {name}"] = nd.distance_transform_edt(b)
    cases[f"distance spaced {name}"] = nd.distance_transform_edt(b, sampling=[0.7] + [1.9] * last)


def flat(v):
    v = np.asarray(v, float)
    return {"shape": v.shape, "values": [float(f"{e:.12g}") for e in v.ravel()]}


text = ",\n".join(f"{json.dumps(k)}: {json.dumps(flat(v), separators=(',', ':'))}" for k, v in cases.items())
(pathlib.Path(__file__).parent / "scipy.json").write_text("{\n" + text + "\n}\n")
