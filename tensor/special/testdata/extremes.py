"""Records in extremes.txt beside this file the values of special functions at infinities, zeros of both signs,
subnormal, tiny and huge numbers and NaN, in all combinations.

    python3 tensor/special/testdata/extremes.py

It needs SciPy and mpmath. A line is a function, its arguments and the value. Left out are inverses of subnormal
probabilities and the beta distribution at 5e-324, which SciPy 1.17 misses; its values of J0 and J1 beyond 1e10, and of zeta for orders beyond
1e100, are not right, and are those of mpmath or limits instead.
"""

import itertools
import math
import pathlib
import warnings

import mpmath as mp
import numpy as np
import scipy.special as sp

warnings.simplefilter("ignore")
inf, nan = float("inf"), float("nan")
every = [-inf, -1e300, -2.5, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1e-310, 1e-300, 0.3, 1.0, 2.0, 39.0, 1e17, 1e300, inf, nan]
shapes = [0.5, 1.0, 2.0, 70.0, 1e9]
probabilities = [-inf, -1.0, -0.0, 0.0, 5e-324, 1e-310, 0.5, 1.0, 2.0, inf, nan]
functions = {
    "Gamma": (sp.gamma, every), "GammaInc": (sp.gammainc, shapes, every), "GammaIncC": (sp.gammaincc, shapes, every),
    "GammaIncInv": (sp.gammaincinv, shapes, probabilities), "GammaIncCInv": (sp.gammainccinv, [1e-3, *shapes], probabilities),
    "Zeta": (sp.zeta, [1.0, 1.5, 2.0, 3.0, 39.0, 300.0, 1e12, 1e300, inf, nan], [v for v in every if not v < 0]),
    "Ndtr": (sp.ndtr, every), "LogNdtr": (sp.log_ndtr, every), "Ndtri": (sp.ndtri, probabilities),
    "XLogY": (sp.xlogy, every, every), "XLog1PY": (sp.xlog1py, every, every), "Entr": (sp.entr, every),
    "RelEntr": (sp.rel_entr, every, every), "Beta": (sp.beta, shapes, shapes), "BetaLn": (sp.betaln, shapes, shapes),
    "BetaInc": (sp.betainc, shapes, shapes, probabilities), "BetaIncC": (sp.betaincc, shapes, shapes, probabilities),
    "BetaIncInv": (sp.betaincinv, shapes, shapes, probabilities),
    "BetaIncCInv": (sp.betainccinv, shapes, shapes, probabilities),
    "J0": (sp.j0, every), "J1": (sp.j1, every), "I0e": (sp.i0e, every), "I1e": (sp.i1e, every),
    "K0": (sp.k0, every), "K1": (sp.k1, every), "K0e": (sp.k0e, every), "K1e": (sp.k1e, every),
    "ExpI": (sp.expi, every), "Exp1": (sp.exp1, every),
    "Polygamma1": (lambda x: sp.polygamma(1, x), [v for v in every if not v < 0]),
    "Polygamma2": (lambda x: sp.polygamma(2, x), [v for v in every if not v < 0]),
}


def bessel(order):
    def f(x):
        if math.isnan(x) or math.isinf(x):
            return 0.0 if math.isinf(x) else nan
        with mp.workdps(340):
            return mp.besselj(order, mp.mpf(x))

    return f


def zeta(s, q):
    if math.isnan(s) or math.isnan(q):
        return nan
    if s > 1e100 and q > 0:
        return inf if q < 1 else 1.0 if q == 1 else 0.0
    return sp.zeta(s, q)


def log_side(upper):
    def f(a, x):
        if math.isnan(x) or x < 0:
            return nan
        if x == 0 or x > 1e5:
            return 0.0 if upper == (x == 0) else -inf
        with mp.workdps(60):
            x = mp.mpf(x)
            lower, above = mp.gammainc(a, 0, x, regularized=True), mp.gammainc(a, x, mp.inf, regularized=True)
            this, other = (above, lower) if upper else (lower, above)
            return mp.log(this) if this < 0.5 else mp.log1p(-other)

    return f


few = [v for v in shapes if v < 1e3]
functions |= {
    "LogGammaInc": (log_side(False), few, every), "LogGammaIncC": (log_side(True), few, every),
    "MultiGammaLn": (lambda a: sp.multigammaln(a, 3) if 1 < a < inf else a + 0 if a > 1 else nan, [-inf, -1.0, 0.0, 1.0, 1.5, 39.0, 1e17, inf, nan]),
    "Digamma": (lambda x: -inf if 0 < x < 1e-308 else sp.digamma(x), [v for v in every if not v <= -2.5]),
    "Lgamma": (sp.gammaln, [v for v in every if not v < -1e17]),
    "Trigamma": (lambda x: sp.polygamma(1, x), [v for v in every if v > 0 or v != v]), "Erf": (sp.erf, every), "Erfc": (sp.erfc, every),
    "Erfinv": (sp.erfinv, probabilities), "I0": (lambda x: abs(x) if math.isinf(x) else sp.i0(x), every), "I1": (lambda x: x if math.isinf(x) else sp.i1(x), every),
    "Sinc": (lambda x: 0.0 if x and x == np.floor(x) else np.sinc(x), [v for v in every if not abs(v) >= 1e17 or v != v]),
}
functions |= {"J0": (bessel(0), every), "J1": (bessel(1), every), "Zeta": (zeta, *functions["Zeta"][1:])}
lines = []
for name, (f, *args) in functions.items():
    for a in itertools.product(*args):
        value = float(f(*a))
        if "Inv" in name and 0 < a[-1] < 1e-300 or name == "BetaInc" and a[-1] == 5e-324:
            continue
        lines.append(" ".join([name, *(repr(float(v)) for v in a), repr(value)]))
(pathlib.Path(__file__).parent / "extremes.txt").write_text("\n".join(lines) + "\n")
