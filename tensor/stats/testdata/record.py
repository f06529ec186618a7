"""Records in scipy.json beside this file what SciPy and NumPy compute for the cases of TestSciPy.

    python3 tensor/stats/testdata/record.py
"""

import json
import math
import pathlib

import numpy as np
from scipy import stats as s

rng = np.random.default_rng(3)
cases = {}


def put(name, *values):
    flat = [float(v) for value in values for v in np.ravel(value)]
    cases[name] = [v if math.isfinite(v) else str(v) for v in flat]


def sample(name, values):
    put(name, values)
    return np.array(values, float)


x, y = sample("x", np.round(rng.standard_normal(23), 2)), sample("y", np.round(rng.standard_normal(31) * 1.5 + 0.6, 2))
z = sample("z", np.round(x * 0.7 + rng.standard_normal(23) * 0.5, 3))
ties, other = sample("ties", rng.integers(0, 6, 23)), sample("other", rng.integers(0, 7, 23))
small, few = sample("small", [0.61, 0.29, 1.7, -0.3, 2.2]), sample("few", [1.1, 3.2, 2.9, 0.4, 5.5, 4.1, 2.4])
tiny = sample("tiny", [1.5, -0.5, 1.5, 2, -2, 0, 3, 0.5, 1])
large, larger = sample("large", np.round(rng.gamma(2, size=400), 4)), sample("larger", np.round(rng.gamma(2.2, size=350), 4))


for a in ["two-sided", "less", "greater"]:
    r = s.ttest_1samp(x, 0.3, alternative=a)
    put(f"ttest_1samp {a}", r, r.df, r.confidence_interval())
    r = s.ttest_ind(x, y, alternative=a)
    put(f"ttest_ind {a}", r, r.df, r.confidence_interval())
    r = s.ttest_ind(x, y, equal_var=False, alternative=a)
    put(f"welch {a}", r, r.df, r.confidence_interval())
    r = s.ttest_rel(x, z, alternative=a)
    put(f"ttest_rel {a}", r, r.df, r.confidence_interval())
    for n, p, q in [("", x, y), (" small", small, few), (" ties", ties, other), (" few", few, larger[:150]), (" large", large, larger)]:
        put(f"mannwhitneyu{n} {a}", s.mannwhitneyu(p, q, alternative=a))
        put(f"ks_2samp{n} {a}", s.ks_2samp(p, q, alternative=a)[:2])
    for n, d in [("", x - z), (" small", small), (" tiny", tiny), (" large", large - 1.7)]:
        put(f"wilcoxon{n} {a}", s.wilcoxon(d, alternative=a))
    for n, p in [("", x), (" small", small), (" large", (large - 2) / 1.4), (" far", small + 2), (" near", s.norm.ppf((np.arange(150) + 0.45) / 150))]:
        put(f"ks_1samp{n} {a}", s.ks_1samp(p, s.norm.cdf, alternative=a)[:2])
    for t in [[[8, 2], [1, 5]], [[30, 12], [17, 44]], [[0, 5], [7, 2]], [[200, 180], [150, 190]]]:
        put(f"fisher {t} {a}", s.fisher_exact(t, alternative=a))
    r = s.pearsonr(x, z, alternative=a)
    put(f"pearsonr {a}", r, r.confidence_interval())
    put(f"spearmanr {a}", s.spearmanr(x, z, alternative=a))
    put(f"spearmanr ties {a}", s.spearmanr(ties, other, alternative=a))
    put(f"kendalltau {a}", s.kendalltau(few, [2, 3, 1, 0, 6, 5, 4], alternative=a))
    put(f"kendalltau ties {a}", s.kendalltau(ties, other, alternative=a))
    put(f"kendalltau large {a}", s.kendalltau(large[:350], larger, alternative=a))
near = s.norm.ppf((np.arange(150) + 0.45) / 150)
put("near", near)
put("ks_1samp long", s.ks_1samp(s.norm.ppf((np.arange(3000) + 0.5) / 3000) * 1.02, s.norm.cdf)[:2])
put("f_oneway", s.f_oneway(x, y, z), 2, 74)
put("kruskal", s.kruskal(x, y, z), 2)
put("kruskal ties", s.kruskal(ties, other), 1)
put("chisquare", s.chisquare([16, 18, 16, 14, 12, 12]), 5)
put("chisquare expected", s.chisquare([16, 18, 16, 14, 12, 12], [16, 16, 16, 16, 16, 8]), 5)
for name, t, c in [("", [[10, 10, 20], [20, 20, 20]], True), (" yates", [[12, 5], [4, 9]], True), (" plain", [[12, 5], [4, 9]], False), (" row", [[3, 4, 5]], True)]:
    r = s.chi2_contingency(t, correction=c)
    put(f"chi2_contingency{name}", r.statistic, r.pvalue, r.dof, r.expected_freq)
for n, p in [("", x), (" 3", [1, 2, 4.5]), (" 5", small), (" 7", few), (" 11", x[:11]), (" 12", x[:12]), (" large", large), (" ties", ties)]:
    put(f"shapiro{n}", s.shapiro(p))
for n, p in [("", x), (" large", large), (" ties", ties)]:
    put(f"normaltest{n}", s.normaltest(p))
    put(f"jarque_bera{n}", s.jarque_bera(p))
    put(f"describe{n}", s.skew(p), s.kurtosis(p), s.moment(p, 5), s.sem(p), s.iqr(p), s.percentileofscore(p, p[3]), s.percentileofscore(p, 1.2345))
    put(f"zscore{n}", s.zscore(p), s.zscore(p, ddof=1))
    put(f"rankdata{n}", s.rankdata(p))
r = s.linregress(x, z)
t = s.t.ppf(0.975, 21)
put("linregress", r.slope, r.intercept, r.rvalue, r.pvalue, r.stderr, r.intercept_stderr, r.slope - t * r.stderr, r.slope + t * r.stderr,
    r.intercept - t * r.intercept_stderr, r.intercept + t * r.intercept_stderr)
p = sample("p", [0.04, 0.001, 0.03, 0.2, 0.013, 0.6, 0.04])
put("bh", s.false_discovery_control(p))
put("by", s.false_discovery_control(p, method="by"))
methods = ["linear", "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
           "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"]
qs = sample("qs", [0, 0.001, 0.05, 0.1, 0.125, 0.25, 0.3, 0.5, 0.625, 0.7, 0.9, 0.95, 0.999, 1])
for m in methods:
    for n in [1, 2, 4, 8, 10, 23]:
        put(f"quantile {m} {n}", np.quantile(x[:n], qs, method=m))
(pathlib.Path(__file__).parent / "scipy.json").write_text("{\n" + ",\n".join(f'"{n}": {json.dumps(v)}' for n, v in cases.items()) + "\n}\n")
