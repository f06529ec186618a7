"""Records what SciPy computes for the cases of cases_test.go, in scipy.json beside this file.

    python3 tensor/optimize/testdata/record.py    # with SciPy 1.17
"""

import json
import pathlib

import numpy as np
import scipy.optimize as o

rng = np.random.default_rng(7)


def rosenbrock(x):
    return np.sum((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2)


def booth(x):
    return (x[0] + 2 * x[1] - 7) ** 2 + (2 * x[0] + x[1] - 5) ** 2


def logs(x):  # NaN beyond the bounds
    return np.sum(x * np.log(x)) + (x[0] - 2) ** 2


cases = {}
tight = {"gtol": 1e-10, "ftol": 1e-16}
for name, f, x0, bounds in [
    ("rosenbrock", rosenbrock, [-1.2, 1, -1, 2], None),
    ("booth", booth, [0, 0], None),
    ("rosenbrock bounds", rosenbrock, [0.2, 1, 0.5, 0.2], [(-2, 0.5), (-1, 2), (-2, 2), (-0.5, 0.25)]),
    ("booth bounds", booth, [0, 0], [(0, 0.5), (-np.inf, np.inf)]),
    ("logs bounds", logs, [1, 1, 1], [(1e-3, 10)] * 3),
]:
    r = o.minimize(f, x0, bounds=bounds, method="L-BFGS-B", jac="cs" if bounds is None else "3-point", options=tight)
    cases[name] = [*r.x, r.fun]

scalars = {
    "quartic": lambda x: (x - 2) * x * (x + 2) ** 2,
    "cosine": lambda x: np.cos(x) + 0.1 * x,
    "kink": lambda x: abs(x - 0.7),
}
for name, f in scalars.items():
    r = o.minimize_scalar(f)
    cases[f"scalar {name}"] = [r.x, r.fun]
    r = o.minimize_scalar(f, bounds=(-3, 4), method="bounded")
    cases[f"bounded {name}"] = [r.x, r.fun]
for name, f, a, b in [
    ("cubic", lambda x: x**3 - 2 * x - 5, 2, 3),
    ("cos", lambda x: np.cos(x) - x, 0, 1),
    ("exp", lambda x: np.exp(-x) - 1e-3, 0, 100),
]:
    cases[f"brentq {name}"] = [o.brentq(f, a, b)]

circle = lambda x: np.array([x[0] ** 2 + x[1] ** 2 - 4, np.exp(x[0]) + x[1] - 1])
cases["root circle"] = o.root(circle, [1, -1.7], tol=1e-12).x
chain = lambda x: np.concatenate(([3 * x[0] - 2 * x[0] ** 2 - 2 * x[1] + 1],
    (3 - 2 * x[1:-1]) * x[1:-1] - x[:-2] - 2 * x[2:] + 1, [(3 - 2 * x[-1]) * x[-1] - x[-2] + 1]))
cases["root chain"] = o.root(chain, -np.ones(10), tol=1e-12).x

t = np.linspace(0, 4, 40)
y = 2.5 * np.exp(-1.3 * t) + 0.5 + 0.05 * rng.standard_normal(40)
y[::10] += 2
sigma = 0.05 + 0.05 * rng.random(40)
cases |= {"t": t, "y": y, "sigma": sigma}
residual = lambda p: p[0] * np.exp(-p[1] * t) + p[2] - y
for loss in ["linear", "soft_l1", "huber", "cauchy", "arctan"]:
    r = o.least_squares(residual, [1, 1, 0], loss=loss, f_scale=0.1, xtol=1e-14, ftol=1e-14, gtol=1e-14)
    cases[f"least squares {loss}"] = [*r.x, r.cost]
r = o.least_squares(residual, [1, 1, 0.8], bounds=([0, 0, 0.75], [2, 9, 9]), xtol=1e-14, ftol=1e-14, gtol=1e-14)
cases["least squares bounds"] = [*r.x, r.cost]
model = lambda t, a, b, c: a * np.exp(-b * t) + c
for name, options in {"": {}, " sigma": {"sigma": sigma}, " absolute": {"sigma": sigma, "absolute_sigma": True}}.items():
    p, cov = o.curve_fit(model, t, y, [1, 1, 0], xtol=1e-14, ftol=1e-14, **options)
    cases[f"curve fit{name}"] = p
    cases[f"covariance{name}"] = cov.ravel()

for m, n in [(1, 1), (5, 5), (4, 9), (9, 4), (30, 30), (40, 25)]:
    cost = rng.integers(-20, 20, (m, n)).astype(float)
    cost[rng.random((m, n)) < 0.1] = 25
    cases[f"assignment {m} {n}"] = cost.ravel()
    cases[f"assignment {m} {n} sums"] = [cost[o.linear_sum_assignment(cost)].sum(),
        cost[o.linear_sum_assignment(cost, maximize=True)].sum()]

programs = []
kinds = [(np.inf, "0"), (5, "0"), (np.inf, "free"), (2, "box")]
for k in range(200):
    n, m, e = rng.integers(1, 9), rng.integers(0, 9), rng.integers(0, 3)
    aub, bub = rng.integers(-4, 6, (m, n)), rng.integers(-3, 12, m)
    aeq, beq = rng.integers(-3, 4, (e, n)), rng.integers(-4, 8, e)
    if e == 2 and k % 3 == 0:  # an equation that says nothing more
        aeq[1], beq[1] = 2 * aeq[0], 2 * beq[0]
    c = rng.integers(-5, 6, n)
    low = [[0, 0, -99, -2][(k + i) % 4] for i in range(n)]  # 99 is infinite
    high = [[99, 5, 99, 2][(k + i) % 4] for i in range(n)]
    bounds = [(None if a == -99 else a, None if b == 99 else b) for a, b in zip(low, high)]
    r = o.linprog(c, aub if m else None, bub if m else None, aeq if e else None, beq if e else None, bounds)
    status = r.status
    if status in (2, 4):  # HiGHS does not always tell infeasible from unbounded
        status = 2 if o.linprog(0 * c, aub if m else None, bub if m else None, aeq if e else None, beq if e else None,
            bounds).status == 2 else 3
    programs.append({"c": c.tolist(), "aub": aub.tolist(), "bub": bub.tolist(), "aeq": aeq.tolist(), "beq": beq.tolist(),
        "low": low, "high": high, "status": status, "f": r.fun if r.status == 0 else 0})

number = lambda v: float(f"{v:.12g}")
lines = [f"{json.dumps(k)}: {json.dumps([number(e) for e in np.asarray(v).ravel()], separators=(',', ':'))}"
    for k, v in cases.items()]
here = pathlib.Path(__file__).parent
(here / "scipy.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
(here / "programs.json").write_text("[\n" + ",\n".join(json.dumps(p, separators=(",", ":")) for p in programs) + "\n]\n")
