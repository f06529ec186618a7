"""Records what SciPy computes for the cases of integrate_test.go, in scipy.json beside this file.

    python3 tensor/integrate/testdata/record.py    # with SciPy 1.17
"""

import json
import pathlib

import numpy as np
import scipy.integrate as g

rng = np.random.default_rng(5)
inf = np.inf
cases = {}

for name, f, a, b in [
    ("exp", lambda x: np.exp(x), 0, 1),
    ("gauss", lambda x: np.exp(-x * x), -inf, inf),
    ("lorentz", lambda x: 1 / (1 + x * x), -inf, 1),
    ("root end", lambda x: (1 - x) ** -0.5, 0, 1),
    ("log end", lambda x: np.log(x), 0, 1),
    ("steep end", lambda x: x**-0.9, 0, 1),
    ("both ends", lambda x: (x * (1 - x)) ** -0.5, 0, 1),
    ("root and infinity", lambda x: np.exp(-x) / np.sqrt(x), 0, inf),
    ("tail", lambda x: x**-1.2, 1, inf),
    ("backwards", lambda x: np.sin(x), 3, 1),
]:
    cases[f"quad {name}"] = g.quad(f, a, b, epsabs=1e-12, epsrel=1e-12)[0]
cases["quad points"] = g.quad(lambda x: np.sign(x - 0.3) * np.exp(x), 0, 1, points=[0.3])[0]
cases["dblquad"] = g.dblquad(lambda y, x: x * y**2 + 1, 0, 2, lambda x: x, lambda x: x**2 + 2)[0]

for n in [2, 3, 4, 5, 8, 9]:
    y = rng.standard_normal((3, n))
    x = np.cumsum(0.5 + rng.random(n))
    cases |= {f"y {n}": y, f"x {n}": x, f"simpson {n}": g.simpson(y, dx=0.5), f"simpson x {n}": g.simpson(y, x),
        f"simpson dim {n}": g.simpson(y.T, x, axis=0), f"cumulative {n}": g.cumulative_trapezoid(y, x, initial=0),
        f"cumulative dim {n}": g.cumulative_trapezoid(y.T, dx=2, axis=0, initial=0)}

lotka = lambda t, y: [1.5 * y[0] - y[0] * y[1], y[0] * y[1] - 3 * y[1]]
rober = lambda t, y: [-0.04 * y[0] + 1e4 * y[1] * y[2], 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2]
forced = lambda t, y: [y[1], -y[0] + np.cos(2 * t)]
times = [0, 0.3, 1, 2.5, 4]
for m in ["RK45", "RK23", "DOP853", "Radau"]:
    # the same steps as SciPy's, so that the error of the method is the same
    s = g.solve_ivp(lotka, (0, 4), [10, 5], m, times, rtol=1e-5, atol=1e-7)
    cases[f"lotka {m}"] = s.y.T
    s = g.solve_ivp(forced, (3, -1), [1, 0], m, [3, 1.7, -1], rtol=1e-6, atol=1e-8)
    cases[f"forced {m}"] = s.y.T
for k, y0 in enumerate([[10, 5], [4, 2], [1, 9]]):
    cases[f"lotka exact {k}"] = g.solve_ivp(lotka, (0, 4), y0, "DOP853", [4], rtol=1e-12, atol=1e-12).y[:, -1]
cases["rober"] = g.solve_ivp(rober, (0, 1e5), [1, 0, 0], "Radau", [1, 1e3, 1e5], rtol=1e-9, atol=1e-13).y.T
hit, top = lambda t, y: y[0], lambda t, y: y[1]
hit.terminal = True
hit.direction = -1
s = g.solve_ivp(lambda t, y: [y[1], -9.81 - 0.1 * y[1]], (0, 100), [0, 20], events=[hit, top], rtol=1e-10, atol=1e-10)
cases |= {"hit": s.t_events[0], "hit y": s.y_events[0], "top": s.t_events[1], "last": s.t[-1]}


def flat(v):
    v = np.asarray(v, float)
    return {"shape": v.shape, "values": [float(f"{e:.12g}") for e in v.ravel()]}


text = ",\n".join(f"{json.dumps(k)}: {json.dumps(flat(v), separators=(',', ':'))}" for k, v in cases.items())
(pathlib.Path(__file__).parent / "scipy.json").write_text("{\n" + text + "\n}\n")
