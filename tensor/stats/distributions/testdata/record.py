"""Records in scipy.txt and torch.txt beside this file what SciPy and PyTorch compute for the cases of the tests.

    python3 tensor/stats/distributions/testdata/record.py

A line is a distribution with its parameters, a function, its arguments and the values.
"""

import pathlib

import numpy as np
import torch
import torch.distributions as td
from scipy import stats

here = pathlib.Path(__file__).parent
lines = []


def put(*fields):
    lines.append("|".join(f if isinstance(f, str) else " ".join(repr(float(v)) for v in np.ravel(f)) for f in fields))


Q = np.array([0, 1e-300, 1e-20, 1e-6, 0.01, 0.2, 0.5, 0.77, 0.99, 1 - 1e-9, 1, -0.5])
cases = {
    "Normal": (lambda m, s: stats.norm(m, s), [(0, 1), (1, 2.5)], [-80, -12.5, -1, 0, 0.3, 4, 30]),
    "LogNormal": (lambda m, s: stats.lognorm(s, scale=np.exp(m)), [(0, 1), (1, 0.25)], [-1, 0, 1e-8, 0.3, 1, 4, 1e6]),
    "Uniform": (lambda a, b: stats.uniform(a, b - a), [(0, 1), (-2, 5)], [-3, -2, 0, 0.25, 1, 4.9, 6]),
    "Exponential": (lambda s: stats.expon(scale=s), [(1,), (3.5,)], [-1, 0, 1e-12, 0.5, 4, 700]),
    "Gamma": (lambda a, s: stats.gamma(a, scale=s), [(1, 1), (0.3, 2), (7.5, 0.5), (1200, 3)], [-1, 0, 1e-10, 0.4, 5, 60, 3600, 4100]),
    "Beta": (lambda a, b: stats.beta(a, b), [(1, 1), (0.5, 0.5), (2, 7), (300, 200)], [-0.1, 0, 1e-9, 0.2, 0.6, 0.999, 1, 1.5]),
    "ChiSquared": (lambda n: stats.chi2(n), [(1,), (2,), (9,), (500,)], [-1, 0, 1e-5, 0.7, 8, 90, 600]),
    "StudentT": (lambda n, m, s: stats.t(n, m, s), [(1, 0, 1), (2.5, 1, 2), (30, 0, 1), (1e6, 0, 1)], [-1e5, -40, -6, -1, 0, 1e-9, 0.7, 2, 15]),
    "F": (lambda a, b: stats.f(a, b), [(1, 5), (2, 3), (10, 8), (200, 5)], [-1, 0, 1e-6, 0.3, 1, 4, 900]),
    "Laplace": (lambda m, s: stats.laplace(m, s), [(0, 1), (2, 3)], [-90, -1, 0, 2, 5, 200]),
    "Cauchy": (lambda m, s: stats.cauchy(m, s), [(0, 1), (2, 3)], [-1e8, -1, 0, 2, 5, 1e5]),
    "Weibull": (lambda k, s: stats.weibull_min(k, scale=s), [(1, 1), (0.7, 2), (4, 3)], [-1, 1e-9, 0.4, 2, 9]),
    "Logistic": (lambda m, s: stats.logistic(m, s), [(0, 1), (2, 3)], [-900, -40, -1, 0, 2, 60]),
    "Gumbel": (lambda m, s: stats.gumbel_r(m, s), [(0, 1), (2, 3)], [-5, -1, 0, 2, 60]),
    "Pareto": (lambda a, m: stats.pareto(a, scale=m), [(0.8, 1), (1.5, 2), (5, 3)], [0.5, 1, 2, 3, 8, 1e6]),
    "Bernoulli": (lambda p: stats.bernoulli(p), [(0.3,), (0,), (1,)], [-1, 0, 0.5, 1, 2]),
    "Binomial": (lambda n, p: stats.binom(n, p), [(1, 0.5), (20, 0.3), (1000, 0.999), (7, 0), (7, 1), (10**6, 1e-5)], [-1, 0, 1, 1.5, 6, 7, 20, 990]),
    "Poisson": (lambda m: stats.poisson(m), [(0.1,), (4,), (2000,)], [-1, 0, 1, 2.5, 9, 1800, 2300]),
    "Geometric": (lambda p: stats.geom(p), [(0.3,), (1,), (0.001,)], [0, 1, 1.5, 2, 40, 9000]),
    "NegativeBinomial": (lambda n, p: stats.nbinom(n, p), [(1, 0.3), (2.5, 0.6), (40, 0.01), (3, 1)], [-1, 0, 1, 1.5, 5, 70, 5000]),
}
for name, (make, parameters, xs) in cases.items():
    for p in parameters:
        d, of = make(*p), name + " " + " ".join(repr(float(v)) for v in p)
        with np.errstate(all="ignore"):
            put(of, "LogProb", xs, d.logpmf(xs) if hasattr(d, "logpmf") and name in ["Bernoulli", "Binomial", "Poisson", "Geometric", "NegativeBinomial"] else d.logpdf(xs))
            put(of, "CDF", xs, d.cdf(xs))
            put(of, "Survival", xs, d.sf(xs))
            put(of, "Quantile", Q, d.ppf(Q))
            put(of, "Upper", Q, d.isf(Q))
            put(of, "Mean", [], d.mean())
            put(of, "Variance", [], d.var())
            put(of, "Entropy", [], d.entropy())
(here / "scipy.txt").write_text("\n".join(lines) + "\n")

lines.clear()
f64 = torch.float64
T = lambda *v: torch.tensor(v, dtype=f64, requires_grad=True)
makers = {
    "Normal": (td.Normal, (1.5, 0.7), (-0.5, 2), [0.3, -2]),
    "LogNormal": (td.LogNormal, (0.5, 0.7), (-0.5, 2), [0.3, 2]),
    "Uniform": (td.Uniform, (-1, 2), (-1.5, 3), [0.3, 1]),
    "Exponential": (lambda s: td.Exponential(1 / s), (1.5,), (0.4,), [0.3, 2]),
    "Gamma": (lambda a, s: td.Gamma(a, 1 / s), (1.5, 0.7), (3, 2), [0.3, 2]),
    "Beta": (td.Beta, (1.5, 0.7), (3, 2), [0.3, 0.9]),
    "ChiSquared": (td.Chi2, (1.5,), (4,), [0.3, 2]),
    "StudentT": (td.StudentT, (2.5, 0.5, 1.5), None, [0.3, 2]),
    "F": (td.FisherSnedecor, (2.5, 7), None, [0.3, 2]),
    "Laplace": (td.Laplace, (1.5, 0.7), (-0.5, 2), [0.3, -2]),
    "Cauchy": (td.Cauchy, (1.5, 0.7), (-0.5, 2), [0.3, -2]),
    "Weibull": (lambda k, s: td.Weibull(s, k), (1.5, 0.7), None, [0.3, 2]),
    "Gumbel": (td.Gumbel, (1.5, 0.7), (-0.5, 2), [0.3, -2]),
    "Pareto": (lambda a, m: td.Pareto(m, a), (1.5, 0.7), (2, 0.5), [0.8, 2]),
    "Bernoulli": (td.Bernoulli, (0.3,), (0.6,), [0, 1]),
    "Binomial": (lambda n, p: td.Binomial(n.detach(), p), (9, 0.3), (9, 0.6), [0, 4]),
    "Poisson": (td.Poisson, (2.5,), (4,), [0, 3]),
    "Geometric": (td.Geometric, (0.3,), (0.6,), [0, 4]),
}
for name, (make, p, q, xs) in makers.items():
    a, x = [T(v)[0] if False else torch.tensor(float(v), dtype=f64, requires_grad=True) for v in p], torch.tensor(xs, dtype=f64, requires_grad=True)
    y = make(*a).log_prob(x)
    of = name + " " + " ".join(repr(float(v)) for v in p)
    shown = np.array(xs) + (1 if name == "Geometric" else 0)
    put(of, "LogProb", shown, y.detach().numpy())
    grads = torch.autograd.grad(y.sum(), [*a, x], allow_unused=True)
    for i, g in enumerate(grads[:-1]):
        if not (name == "Binomial" and i == 0):
            put(of, f"Gradient{i}", shown, 0 if g is None else g.numpy())
    if name not in ["Bernoulli", "Binomial", "Poisson", "Geometric", "Uniform"]:
        put(of, "GradientX", shown, grads[-1].numpy())
    if q is not None:
        b = [torch.tensor(float(v), dtype=f64, requires_grad=True) for v in q]
        k = td.kl_divergence(make(*a), make(*b))
        put(of, "KL", np.array(q, float), k.item())
        grads = torch.autograd.grad(k, [*a, *b], allow_unused=True)
        if name not in ["Binomial"]:
            put(of, "KLGradient", np.array(q, float), [0 if g is None else g.item() for g in grads])
a, b = T(0.5, 2, 3), T(2, 1, 0.25)
for name, p, q, x in [("Dirichlet", td.Dirichlet(a), td.Dirichlet(b), torch.tensor([0.2, 0.3, 0.5], dtype=f64)),
                      ("Categorical", td.Categorical(a), td.Categorical(b), torch.tensor(2.0, dtype=f64)),
                      ("Multinomial", td.Multinomial(7, a), None, torch.tensor([1.0, 2, 4], dtype=f64))]:
    y = p.log_prob(x)
    put(name, "LogProb", x.numpy(), y.item())
    put(name, "Gradient0", x.numpy(), torch.autograd.grad(y, a, retain_graph=True)[0].numpy())
    if name != "Multinomial":
        put(name, "Entropy", [], p.entropy().item())
        k = td.kl_divergence(p, q)
        put(name, "KL", [], k.item())
        put(name, "KLGradient", [], np.concatenate([g.numpy() for g in torch.autograd.grad(k, [a, b], retain_graph=True)]))
    if name != "Categorical":
        put(name, "Mean", [], p.mean.detach().numpy())
        put(name, "Variance", [], p.variance.detach().numpy())
m1, m2, c1, c2 = T(1, 2), T(0, -1), torch.tensor([[2, 0.5], [0.5, 1]], dtype=f64, requires_grad=True), torch.tensor([[1, -0.3], [-0.3, 3]], dtype=f64, requires_grad=True)
p, q, x = td.MultivariateNormal(m1, c1), td.MultivariateNormal(m2, c2), torch.tensor([[0.5, 1], [2, -1.0]], dtype=f64)
y, k = p.log_prob(x), td.kl_divergence(p, q)
put("MultivariateNormal", "LogProb", x.numpy(), y.detach().numpy())
put("MultivariateNormal", "Gradient0", x.numpy(), torch.autograd.grad(y.sum(), m1, retain_graph=True)[0].numpy())
g = torch.autograd.grad(y.sum(), c1, retain_graph=True)[0]
put("MultivariateNormal", "Gradient1", x.numpy(), ((g + g.T) / 2).numpy())
put("MultivariateNormal", "Entropy", [], p.entropy().item())
put("MultivariateNormal", "KL", [], k.item())
(here / "torch.txt").write_text("\n".join(lines) + "\n")
