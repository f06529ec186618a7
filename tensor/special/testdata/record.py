"""Records in mpmath.json beside this file the values of special functions, computed with 30 digits.

    python3 tensor/special/testdata/record.py

It needs mpmath. A case is a function with a list of arguments and the value.
"""

import json
import pathlib
import random

import mpmath as mp

mp.mp.dps = 30
random.seed(5)
cases = {}


def tail(log_density, u, way):
    """The logarithm of the integral of a density over u, from u on in one direction, relative to its value there."""
    d = lambda t: mp.exp(log_density(u + way * t) - log_density(u))
    length = mp.mpf(1)
    while d(length) > mp.mpf("1e-33"):
        length *= 2
    while d(length) < mp.mpf("1e-45"):
        length /= 2
    length *= 2
    top = log_density(u)
    d = lambda t: mp.exp(log_density(u + way * t) - top)
    return top + mp.log(mp.quad(d, [0] + [length * mp.mpf(2) ** -k for k in range(10, -1, -1)]))


def gamma_logs(a, x):
    a, x = mp.mpf(a), mp.mpf(x)
    if a > 30:
        constant = mp.loggamma(a)
        f = lambda u: a * u - mp.exp(u) - constant
        if x > a:
            q = tail(f, mp.log(x), 1)
            return mp.log1p(-mp.exp(q)), q
        p = tail(f, mp.log(x), -1)
        return p, mp.log1p(-mp.exp(p))
    with mp.workdps(50):
        q = mp.gammainc(a, x, mp.inf, regularized=True)
        if x < a + 1:
            p = mp.gammainc(a, 0, x, regularized=True)
            return mp.log(p), mp.log(1 - p)
        return mp.log(1 - q), mp.log(q)


def beta_log(a, b, r):
    a, b, r = mp.mpf(a), mp.mpf(b), mp.mpf(r)
    u = mp.log(r)
    constant = mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)
    f = lambda u: a * u - (a + b) * mp.log(1 + mp.exp(u)) + constant
    if r * b < a:
        return tail(f, u, -1)
    return mp.log1p(-mp.exp(tail(f, u, 1)))


def add(name, args, value):
    args = [float(a) for a in args]
    if mp.isnan(value) or not abs(value) < mp.mpf("1.7e308"):
        return
    cases.setdefault(name, []).append([*args, float(value)])


spread = lambda a, k: [x for x in (a + z * a**0.5 for z in k) if x > 0]
zs = [-37, -12, -5, -2, -0.7, -0.01, 0, 0.3, 1.5, 4, 11, 30]
for a in [1e-8, 0.001, 0.1, 0.5, 0.9, 1, 1.7, 3, 8.5, 20, 45, 59, 61, 99, 150, 1000, 33333, 1e6, 1e9, 1e12]:
    for x in spread(a, zs) + [1e-200, 1e-10, 0.01, 0.4, 1.05, 2.5, 30, 600]:
        if a < 1e5 or abs(x - a) < 40 * a**0.5:
            p, q = gamma_logs(a, float(x))
            add("gamma_lower", [a, x], p)
            add("gamma_upper", [a, x], q)
pairs = [0.01, 0.5, 1, 2.5, 12, 40, 58, 61, 130, 3000, 1e6]
for a in pairs:
    for b in pairs + [1e9]:
        n = a + b
        for z in zs[::1 if max(a, b) < 200 else 2]:
            u = mp.log(a / b) + z * (1 / mp.mpf(a) + 1 / mp.mpf(b)) ** 0.5
            r = float(mp.exp(u))
            if 1e-300 < r < 1e300 and not (min(a, b) < 20 and max(a, b) > 1e7 and abs(z) > 3):
                v = beta_log(a, b, r)
                if v > -800:
                    add("beta_lower", [a, b, r], v)
for a in pairs + [1e-5, 1e9]:
    for b in pairs:
        add("log_beta", [a, b], mp.log(mp.beta(a, b)))
xs = [random.uniform(-1, 1) * 10 ** random.uniform(-3, 2.5) for _ in range(150)]
for x in xs + [-1e10, -1000, -40, 0, 8, 30]:
    add("log_ndtr", [x], mp.log1p(-mp.erfc(mp.mpf(x) / mp.sqrt(2)) / 2) if x > 0 else mp.log(mp.erfc(-mp.mpf(x) / mp.sqrt(2)) / 2))
for p in [10 ** random.uniform(-300, 0) for _ in range(60)] + [random.random() for _ in range(60)]:
    p = mp.mpf(p)
    z = -mp.sqrt(2 * mp.log(1 / p)) if p < 0.1 else mp.mpf(0)
    for _ in range(60):
        step = (mp.log(mp.erfc(-z / mp.sqrt(2)) / 2) - mp.log(p)) * (mp.erfc(-z / mp.sqrt(2)) / 2) / mp.npdf(z)
        z -= step
        if abs(step) < mp.mpf("1e-30"):
            break
    add("ndtri", [p], z)
for x in xs + [0, 2, 25, 25.01, 30.5, 100.5, 699]:
    a = abs(x)
    for name, f, t in [("bessel_j0", lambda x: mp.besselj(0, x), x), ("bessel_j1", lambda x: mp.besselj(1, x), x),
                       ("bessel_i0e", lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), x),
                       ("bessel_i1e", lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), x),
                       ("bessel_k0e", lambda x: mp.besselk(0, x) * mp.exp(x), a), ("bessel_k1e", lambda x: mp.besselk(1, x) * mp.exp(x), a),
                       ("expi", mp.ei, x), ("exp1", mp.e1, a)]:
        if t != 0 or name[7:8] in "ji":
            add(name, [t], f(mp.mpf(t)))
for x in xs + [0.5, 1, 2, 5, 18, 19.5, 20, 25, 100, 170, 171.5, 1e-5, -0.5, -20.5, -150.25]:
    if x != int(x) or x > 0:
        add("gamma", [x], mp.gamma(mp.mpf(x)))
for s in [1.001, 1.5, 2, 3, 5.5, 10, 40]:
    for q in [0.01, 0.5, 1, 2.25, 11.5, 13, 100, 1e5]:
        with mp.workdps(250):  # the precision of small values is absolute
            add("zeta", [s, q], mp.zeta(s, q))
(pathlib.Path(__file__).parent / "mpmath.json").write_text(
    "{\n" + ",\n".join(f'"{n}": {json.dumps(v)}' for n, v in cases.items()) + "\n}\n"
)
