"""Records in extremes.txt beside this file the values of distributions at infinities, zeros of both signs, subnormal, tiny
and huge numbers, NaN, the ends of supports, and with parameters at their limits.

    python3 tensor/stats/distributions/testdata/extremes.py

It needs SciPy and mpmath. A line is a distribution with its parameters, a function, its arguments and the values. Densities
and probabilities are mpmath's, since SciPy 1.17 rounds intermediate results there (the t distribution with 0.01 degrees of
freedom has a tail of 0 at 1e300, not 0.0005), but for parameters beyond 1e8. Quantiles are SciPy's where these hold.
"""

import pathlib
import warnings

import mpmath as mp
import numpy as np
from scipy import stats as s

warnings.simplefilter("ignore")
np.seterr(all="ignore")
inf, nan = float("inf"), float("nan")
every = [-inf, -1e300, -2.5, -5e-324, -0.0, 0.0, 5e-324, 1e-310, 1e-300, 0.3, 1.0, 2.0, 39.0, 1e17, 1e300, inf, nan]
chances = [-inf, -0.1, -0.0, 0.0, 5e-324, 1e-310, 1e-300, 0.5, 1 - 2.0**-53, 1.0, 1.1, inf, nan]
cases = {
    "Normal": (lambda m, d: s.norm(m, d), [(0, 1), (0, 1e-300), (0, 1e300), (1e17, 1)]),
    "LogNormal": (lambda m, d: s.lognorm(d, scale=np.exp(m)), [(0, 1), (0, 1e-3), (2, 50)]),
    "Uniform": (lambda a, b: s.uniform(a, b - a), [(0, 1), (-2, 5), (0, 1e300), (0, 5e-324)]),
    "Exponential": (lambda d: s.expon(scale=d), [(1,), (1e-300,), (1e300,)]),
    "Gamma": (lambda a, d: s.gamma(a, scale=d), [(1, 1), (0.5, 2), (7.5, 1e-300), (2, 1e300), (1e-3, 1), (1e9, 1)]),
    "Beta": (lambda a, b: s.beta(a, b), [(1, 1), (1, 3), (3, 1), (0.5, 0.5), (2, 7), (1e-3, 1), (1e9, 1e9)]),
    "ChiSquared": (lambda n: s.chi2(n), [(1,), (2,), (9,), (1e9,)]),
    "StudentT": (lambda n, m, d: s.t(n, m, d), [(1, 0, 1), (2.5, 1, 2), (0.01, 0, 1), (1e12, 0, 1), (3, 0, 1e300)]),
    "F": (lambda a, b: s.f(a, b), [(1, 5), (2, 3), (10, 8), (2, 1e9)]),
    "Laplace": (lambda m, d: s.laplace(m, d), [(0, 1), (2, 1e-300), (0, 1e300)]),
    "Cauchy": (lambda m, d: s.cauchy(m, d), [(0, 1), (0, 1e-300), (2, 1e300)]),
    "Weibull": (lambda k, d: s.weibull_min(k, scale=d), [(1, 1), (0.5, 2), (4, 3), (0.01, 1), (300, 1)]),
    "Logistic": (lambda m, d: s.logistic(m, d), [(0, 1), (2, 1e-300), (0, 1e300)]),
    "Gumbel": (lambda m, d: s.gumbel_r(m, d), [(0, 1), (2, 1e-300), (0, 1e300)]),
    "Pareto": (lambda a, m: s.pareto(a, scale=m), [(0.8, 1), (5, 2), (1e-3, 1), (2, 1e300), (2, 1e-300)]),
    "Bernoulli": (lambda p: s.bernoulli(p), [(0.3,), (0,), (1,), (1e-300,)]),
    "Binomial": (lambda n, p: s.binom(n, p), [(1, 0.5), (20, 0.3), (0, 0.3), (0, 0), (0, 1), (7, 0), (7, 1), (1000, 0.5), (10, 1e-300)]),
    "Poisson": (lambda m: s.poisson(m), [(0,), (1e-300,), (0.1,), (10,), (2000,)]),
    "Geometric": (lambda p: s.geom(p), [(0.3,), (1,), (1e-10,), (1e-3,)]),
    "NegativeBinomial": (lambda n, p: s.nbinom(n, p), [(1, 0.3), (2, 0.3), (3, 1), (40, 0.01), (0.01, 0.5)]),
}
counts = ["Bernoulli", "Binomial", "Poisson", "Geometric", "NegativeBinomial"]
mp.mp.dps = 60


def exp(x):
    return mp.mpf(0) if x < -1e5 else mp.inf if x > 1e5 else mp.exp(x)


def moved(log_density, lower, upper):
    """A distribution of a location and a scale."""

    def of(m, d):
        z = lambda x: (mp.mpf(x) - m) / d
        return (lambda x: log_density(z(x)) - mp.log(d)), (lambda x: lower(z(x))), (lambda x: upper(z(x)))

    return of


def log1pexp(x):
    return mp.log1p(mp.exp(x)) if x < 1e3 else x


def normal(z):
    return mp.mpf(0) if z < -1e3 else mp.mpf(1) if z > 1e3 else mp.erfc(-z / mp.sqrt(2)) / 2


def positive(log_density, hazard):
    """A distribution whose survival function is e^-hazard."""
    return lambda *p: (lambda x: log_density(x, *p), lambda x: -mp.expm1(-min(hazard(x, *p), mp.mpf(1e6))), lambda x: exp(-hazard(x, *p)))


def gamma(a, d):
    z = lambda x: mp.mpf(x) / d
    log_density = lambda x: mp.inf * (1 if a < 1 else -1) if x == 0 and a != 1 else (a - 1) * mp.log(z(x)) - z(x) - mp.loggamma(a) - mp.log(d) if x else -mp.log(d)
    side = lambda x, upper: (mp.mpf(upper == (z(x) == 0)) if z(x) == 0 or z(x) > 1e5 else
        mp.gammainc(a, z(x), mp.inf, regularized=True) if upper else mp.gammainc(a, 0, z(x), regularized=True))
    return log_density, lambda x: side(x, False), lambda x: side(x, True)


def beta_sides(a, b, x, y):
    """I(a, b) at x = 1 - y and its complement."""
    if a == 1:
        less = b * (mp.log(y) if y < 0.5 else mp.log1p(-x)) if y else -mp.mpf(1e6)
        return -mp.expm1(less), exp(less)
    if x < 1e-3:
        lower = mp.betainc(a, b, 0, x, regularized=True)
        return lower, 1 - lower
    upper = mp.betainc(b, a, 0, y, regularized=True)
    return (1 - upper if y < 1e-3 else mp.betainc(a, b, 0, x, regularized=True)), upper


def beta_log(a, b, x, y):
    return a * mp.log(x) + b * mp.log(y) - mp.loggamma(a) - mp.loggamma(b) + mp.loggamma(mp.mpf(a) + b)


def edge(a, at_one):
    return mp.inf if a < 1 else -mp.inf if a > 1 else at_one


def beta(a, b):
    def log_density(x):
        if x == 0 or x == 1:
            return edge(b if x else a, mp.log(b if a == 1 and not x else a))
        x = mp.mpf(x)
        return beta_log(a, b, x, 1 - x) - mp.log(x) - mp.log(1 - x)

    sides = lambda x: beta_sides(a, b, mp.mpf(x), 1 - mp.mpf(x))
    return log_density, lambda x: sides(x)[0], lambda x: sides(x)[1]


def fisher(d1, d2):
    a, b = mp.mpf(d1) / 2, mp.mpf(d2) / 2

    def parts(x):
        r = mp.mpf(x) * d1 / d2
        return r / (1 + r), 1 / (1 + r)

    log_density = lambda x: edge(a, mp.mpf(0)) if x == 0 else beta_log(a, b, *parts(x)) - mp.log(x)
    return log_density, lambda x: beta_sides(a, b, *parts(x))[0], lambda x: beta_sides(a, b, *parts(x))[1]


def student(n, m, d):
    a = mp.mpf(n) / 2
    z = lambda x: (mp.mpf(x) - m) / d
    log_density = lambda x: mp.log(n / mp.mpf(n)) - beta_log_1(a) - mp.log(n) / 2 - (a + 0.5) * mp.log1p(z(x) ** 2 / n) - mp.log(d)

    def lower(t):
        if t > 0:
            return 1 - lower(-t)
        return mp.betainc(a, 0.5, 0, n / (n + t * t), regularized=True) / 2

    return log_density, lambda x: lower(z(x)), lambda x: lower(-z(x))


def beta_log_1(a):
    return mp.loggamma(a) + mp.loggamma(0.5) - mp.loggamma(a + 0.5)


def summed(log_mass, high=2**20):
    """A distribution of counts, by sums."""
    lower = lambda x: mp.fsum(exp(log_mass(k)) for k in range(min(int(x), high) + 1))
    above = lambda x: mp.fsum(exp(log_mass(k)) for k in range(int(x) + 1, min(high, int(x) + 3000) + 1))
    return log_mass, lower, lambda x: above(x) if lower(x) > 0.9 else 1 - lower(x)


def power(p, k):
    return mp.mpf(0) if k == 0 else -mp.inf if p == 0 else k * mp.log(p)


def binomial(n, p):
    return summed(lambda k: mp.log(mp.binomial(n, k)) + power(mp.mpf(p), k) + power(1 - mp.mpf(p), n - k), n)


def poisson(m):
    return summed(lambda k: power(mp.mpf(m), k) - m - mp.loggamma(k + 1), 20000)


def negative(n, p):
    return summed(lambda k: mp.loggamma(mp.mpf(n) + k) - mp.loggamma(n) - mp.loggamma(k + 1) + n * mp.log(p) + power(1 - mp.mpf(p), k), 20000)


def geometric(p):
    less = lambda k: power(1 - mp.mpf(p), k)
    return lambda k: less(k - 1) + mp.log(p), lambda k: -mp.expm1(max(less(int(k)), -1e6)), lambda k: exp(less(int(k)))


pareto = positive(lambda x, a, m: mp.log(a) - mp.log(m) - (a + 1) * mp.log(mp.mpf(x) / m), lambda x, a, m: a * mp.log(mp.mpf(x) / m))
weibull = positive(lambda x, k, d: edge(k, -mp.log(d)) if x == 0 else mp.log(k) - mp.log(d) + (k - 1) * mp.log(mp.mpf(x) / d) - (mp.mpf(x) / d) ** k,
    lambda x, k, d: (mp.mpf(x) / d) ** k)
norm = moved(lambda z: -z * z / 2 - mp.log(2 * mp.pi) / 2, normal, lambda z: normal(-z))
exact = {
    "Normal": norm,
    "LogNormal": lambda m, d: (lambda x: norm(m, d)[0](mp.log(x)) - mp.log(x), lambda x: norm(m, d)[1](mp.log(x)), lambda x: norm(m, d)[2](mp.log(x))),
    "Uniform": lambda a, b: (lambda x: -mp.log(mp.mpf(b) - a), lambda x: (mp.mpf(x) - a) / (mp.mpf(b) - a), lambda x: (mp.mpf(b) - x) / (mp.mpf(b) - a)),
    "Exponential": positive(lambda x, d: -mp.mpf(x) / d - mp.log(d), lambda x, d: mp.mpf(x) / d),
    "Gamma": gamma, "ChiSquared": lambda n: gamma(n / 2, 2), "Beta": beta, "F": fisher, "StudentT": student, "Pareto": pareto, "Weibull": weibull,
    "Laplace": moved(lambda z: -abs(z) - mp.log(2), lambda z: exp(z) / 2 if z < 0 else 1 - exp(-z) / 2, lambda z: exp(-z) / 2 if z > 0 else 1 - exp(z) / 2),
    "Cauchy": moved(lambda z: -mp.log(mp.pi) - mp.log1p(z * z), lambda z: mp.atan2(1, -z) / mp.pi, lambda z: mp.atan2(1, z) / mp.pi),
    "Logistic": moved(lambda z: -abs(z) - 2 * log1pexp(-abs(z)), lambda z: exp(-log1pexp(-z)), lambda z: exp(-log1pexp(z))),
    "Gumbel": moved(lambda z: -z - exp(-z), lambda z: exp(-exp(-z)), lambda z: -mp.expm1(-exp(-z)) if exp(-z) < 1e5 else mp.mpf(1)),
    "Bernoulli": lambda p: binomial(1, p), "Binomial": binomial, "Poisson": poisson, "NegativeBinomial": negative, "Geometric": geometric,
}


def value(name, p, what, x, low, high):
    """LogProb, CDF or Survival by mpmath."""
    log_density, lower, upper = exact[name](*p)
    if np.isnan(x):
        return nan
    if what == "LogProb":
        whole = name not in counts or x == np.floor(x)
        if x < low or x > high or np.isinf(x) or not whole or name == "LogNormal" and x == 0:
            return -inf
        return -inf if name in counts and x > 1e16 else float(log_density(int(x) if name in counts else x))
    if x < low or x == -inf or x >= high or name == "LogNormal" and x <= 0:
        return float((x >= high and x >= low) == (what == "CDF"))
    if name in counts and x > 1e15:
        return float(what == "CDF")
    return float((lower if what == "CDF" else upper)(x))


def holds(name, p, q, v, low):
    """Whether a quantile of SciPy 1.17 is right: it misses those of tiny probabilities, and the count of probability 0 is the least one."""
    if not 0 <= q <= 1:
        return True
    if 0 < q < 1e-290 or name == "Geometric" and p[0] == 1 or name == "Binomial" and p == (7, 1):
        return False
    if q == 1 - 2.0**-53 and (max(p) > 1e8 or name in counts or name == "StudentT" and p[0] < 0.1):
        return False
    return v >= low and not (name in counts and q == 0)


lines = []
for name, (make, parameters) in cases.items():
    for p in parameters:
        d = make(*p)
        low, high = {"Uniform": p, "Bernoulli": (0, 1), "Binomial": (0, p[0]), "Geometric": (1, inf), "Beta": (0, 1), "Pareto": (p[-1], inf)}.get(
            name, (-inf if name in ["Normal", "StudentT", "Laplace", "Cauchy", "Logistic", "Gumbel"] else 0, inf))
        x = every + [float(v) for e in (low, high) if np.isfinite(e) for v in (e, np.nextafter(e, -inf), np.nextafter(e, inf))]
        of = " ".join([name, *(repr(float(v)) for v in p)])
        put = lambda what, at, values: lines.append("|".join([of, what, " ".join(repr(float(v)) for v in at), " ".join(repr(float(v)) for v in values)]))
        for what, f in [("LogProb", None), ("CDF", d.cdf), ("Survival", d.sf)]:
            huge = f and max(p) > 1e8 and name in ["Gamma", "Beta", "ChiSquared", "StudentT"]
            put(what, x, [f(v) if huge else value(name, p, what, v, low, high) for v in x])
        for what, f in [("Quantile", d.ppf), ("Upper", d.isf)]:
            values = [(q, float(f(q))) for q in chances]
            put(what, *zip(*[(q, v) for q, v in values if holds(name, p, q, v, low)]))
(pathlib.Path(__file__).parent / "extremes.txt").write_text("\n".join(lines) + "\n")
