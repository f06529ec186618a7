"""Records in extremes.txt beside this file what SciPy computes for samples that are hard for tests: equal elements, one
and two elements, NaN, infinities, no elements, a large mean, extreme scales.

    python3 tensor/stats/testdata/extremes.py

A line is a function, the sample or the samples, and the values, which are nan where SciPy refuses the samples.
"""

import pathlib
import warnings

import numpy as np
from scipy import stats as s

warnings.simplefilter("ignore")
np.seterr(all="ignore")
inf, nan = float("inf"), float("nan")
plain = [1.25, -0.5, 3.0, 2.5, 0.75, -1.75, 4.0, 1.0, 0.5]
samples = {
    "none": [], "one": [2.5], "two": [1.0, 4.0], "pair": [1.1, 1.1], "three": [0.1, 0.1, 0.1], "equal": [3.7] * 9, "zeros": [0.0] * 9,
    "tenths": [0.1] * 11, "nan": plain[:4] + [nan] + plain[5:], "infinite": plain[:4] + [inf] + plain[5:],
    "both": [-inf, inf] + plain[2:], "far": [v + 2.0**40 for v in plain], "small": [v * 1e-60 for v in plain],
    "large": [v * 1e60 for v in plain], "plain": plain, "jump": [1.0] * 8 + [2.0], "signs": [0.0, -0.0] * 4 + [1.0],
}
alone = {
    "skew": s.skew, "kurtosis": s.kurtosis, "zscore0": s.zscore, "zscore1": lambda x: s.zscore(x, ddof=1), "sem": s.sem, "iqr": s.iqr,
    "moment3": lambda x: s.moment(x, 3), "shapiro": s.shapiro, "normaltest": s.normaltest, "jarque_bera": s.jarque_bera,
    "ttest_1samp": lambda x: s.ttest_1samp(x, 1.5), "wilcoxon": s.wilcoxon, "rankdata": s.rankdata,
    "ks_1samp": lambda x: s.ks_1samp(x, s.norm.cdf)[:2], "cov": lambda x: np.cov(x), "chisquare": s.chisquare,
}
both = {
    "ttest_ind": s.ttest_ind, "welch": lambda x, y: s.ttest_ind(x, y, equal_var=False), "ttest_rel": s.ttest_rel,
    "pearsonr": s.pearsonr, "spearmanr": s.spearmanr, "kendalltau": s.kendalltau, "mannwhitneyu": s.mannwhitneyu,
    "ks_2samp": lambda x, y: s.ks_2samp(x, y)[:2], "kruskal": s.kruskal, "f_oneway": s.f_oneway,
    "linregress": lambda x, y: [s.linregress(x, y)[i] for i in (0, 2)],
}
shifts = "skew kurtosis zscore0 zscore1 sem iqr moment3 cov shapiro normaltest jarque_bera pearsonr linregress".split()
lines = []


def put(function, f, *names):
    given = [np.array(samples[n]) for n in names]
    if function in shifts:  # exactly, for equal elements and those far from 0, which SciPy 1.17 rounds
        given = [x - x[0] if len(x) and np.isfinite(x).all() else x for x in given]
    if function in ["ttest_1samp", "ttest_ind", "welch", "ttest_rel"]:  # 3.75 has an exact mean where 3.7 has none
        if all(len(x) and (x == x[0]).all() for x in given):
            given = [np.round(x * 8) / 8 for x in given]
        if "far" in names:
            return  # SciPy 1.17 rounds there, and in the following
    if function == "f_oneway" and (names[0] != names[1] and "far" in names or names[0] == names[1] and names[0] in ["small", "large", "plain"]):
        return
    if function == "shapiro" and names[0] in ["small", "infinite", "both"]:
        return
    try:
        values = np.ravel(f(*given)).astype(float)
    except (ValueError, ZeroDivisionError, IndexError):
        values = [nan]
    lines.append("|".join([function, " ".join(names), " ".join(repr(float(v)) for v in values)]))


for n in samples:
    for function, f in alone.items():
        put(function, f, n)
for pair in [(a, b) for a in samples for b in samples if a == b or "plain" in (a, b)] + [("equal", "zeros"), ("equal", "jump"), ("jump", "equal")]:
    for function, f in both.items():
        put(function, f, *pair)
texts = ["|".join(["sample", n, " ".join(repr(v) for v in v)]) for n, v in samples.items()]
(pathlib.Path(__file__).parent / "extremes.txt").write_text("\n".join(texts + lines) + "\n")
