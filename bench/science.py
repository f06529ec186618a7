#!/usr/bin/env python3
"""Times what scientists compute on the host, in F64, beside SciPy on the same cores, and prints the times and their ratio (below 1:
gorocm is faster).

    python3 bench/science.py              # all functions; names as arguments choose some
    python3 bench/science.py --table      # as Markdown

The two take turns, function by function; the best of several measurements counts. gorocm uses all cores, SciPy mostly one. Needs Go,
and a Python with SciPy. Filters of signals are in bench/signals.py.
"""
import numpy as np
import scipy.cluster.hierarchy, scipy.cluster.vq, scipy.integrate, scipy.interpolate, scipy.ndimage, scipy.optimize, scipy.sparse
import scipy.sparse.linalg, scipy.spatial, scipy.special, scipy.stats

import beside

M = 1_000_000
g = np.random.default_rng(1)


def searches():
    x = np.linspace(0, 4, 10_000)
    y = 2.5 * np.exp(-1.3 * x) + 0.5 + 0.1 * g.standard_normal(10_000)
    cost, samples = g.random((400, 400)), g.standard_normal(M)
    lorenz = lambda t, y: [10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]
    yield "minimize", lambda: scipy.optimize.minimize(scipy.optimize.rosen, [1.3, 0.7, 0.8, 1.9, 1.2], method="BFGS")
    yield "curve_fit", lambda: scipy.optimize.curve_fit(lambda x, a, b, c: a * np.exp(-b * x) + c, x, y)
    yield "assignment", lambda: scipy.optimize.linear_sum_assignment(cost)
    yield "quad", lambda: scipy.integrate.quad(lambda x: np.sin(x) * np.exp(-x / 3), 0, 30)
    yield "solve_ivp", lambda: scipy.integrate.solve_ivp(lorenz, (0, 10), [1, 1, 1])
    yield "simpson", lambda: scipy.integrate.simpson(samples, dx=0.1)


def curves():
    x, at = np.arange(10_000.0), g.uniform(0, 9_999, M)
    y = np.sin(0.01 * x)
    axis, z, places = np.arange(200.0), g.standard_normal((200, 200)), g.uniform(0, 199, (M, 2))
    points, heights, to = g.random((10_000, 2)), g.standard_normal(10_000), g.uniform(0.1, 0.9, (100_000, 2))
    few, values = g.random((500, 2)), g.standard_normal(500)
    yield "cubic_spline", lambda: scipy.interpolate.CubicSpline(x, y)(at)
    yield "regular_grid", lambda: scipy.interpolate.RegularGridInterpolator((axis, axis), z)(places)
    yield "griddata_linear", lambda: scipy.interpolate.griddata(points, heights, to, "linear")
    yield "griddata_cubic", lambda: scipy.interpolate.griddata(points, heights, to, "cubic")
    yield "rbf", lambda: scipy.interpolate.RBFInterpolator(few, values)(to[:10_000])


def samples():
    x, y, p, u = g.standard_normal(M), g.uniform(-1, 1, M), g.uniform(0.1, 5, M), g.uniform(0.01, 0.99, M)
    s = scipy.stats
    yield "pearsonr", lambda: s.pearsonr(x, y)
    yield "spearmanr", lambda: s.spearmanr(x, y)
    yield "ks_2samp", lambda: s.ks_2samp(x, y)
    yield "norm_cdf", lambda: s.norm.cdf(x)
    yield "norm_ppf", lambda: s.norm.ppf(u)
    yield "gamma_cdf", lambda: s.gamma(2.5).cdf(p)
    yield "gamma_ppf", lambda: s.gamma(2.5).ppf(u)
    yield "beta_cdf", lambda: s.beta(2, 3).cdf(u)
    yield "gammaln", lambda: scipy.special.gammaln(p)
    yield "j0", lambda: scipy.special.j0(p)
    yield "expi", lambda: scipy.special.expi(p)
    yield "erfinv", lambda: scipy.special.erfinv(y)
    yield "erf", lambda: scipy.special.erf(x)
    yield "digamma", lambda: scipy.special.digamma(p)
    yield "i0", lambda: scipy.special.i0(p)


def rows():
    x, columns = g.standard_normal((100_000, 8)), np.ascontiguousarray(g.standard_normal((8, 100_000))).T
    yield "sum_rows", lambda: x.sum(-1)
    yield "sum_strided_rows", lambda: columns.sum(-1)
    yield "sum_columns", lambda: x.sum(0)
    yield "mean_rows", lambda: x.mean(-1)
    yield "max_rows", lambda: x.max(-1)
    yield "std_rows", lambda: x.std(-1, ddof=1)
    yield "subtract_means", lambda: x - x.mean(-1, keepdims=True)


def matrices():
    n = 200
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    a = scipy.sparse.csc_array(scipy.sparse.kron(line, scipy.sparse.eye(n)) + scipy.sparse.kron(scipy.sparse.eye(n), line) + 0.01 * scipy.sparse.eye(n * n))
    rows, b = a.tocsr(), g.standard_normal(n * n)
    yield "spsolve", lambda: scipy.sparse.linalg.spsolve(a, b)
    yield "cg", lambda: scipy.sparse.linalg.cg(rows, b, rtol=1e-8)


def points():
    a, b = g.standard_normal((2000, 3)), g.standard_normal((2000, 3))
    many, plane, wide, some = g.random((100_000, 3)), g.random((100_000, 2)), g.standard_normal((100_000, 8)), g.standard_normal((2000, 4))
    tree = scipy.spatial.KDTree(many)
    yield "cdist", lambda: scipy.spatial.distance.cdist(a, b)
    yield "cdist_cityblock", lambda: scipy.spatial.distance.cdist(a, b, "cityblock")
    yield "kdtree", lambda: scipy.spatial.KDTree(many)
    yield "kdtree_query", lambda: tree.query(many, 4)
    yield "delaunay", lambda: scipy.spatial.Delaunay(plane)
    yield "convex_hull", lambda: scipy.spatial.ConvexHull(plane)
    yield "kmeans", lambda: scipy.cluster.vq.kmeans2(wide, wide[:8], iter=20, minit="matrix")
    yield "linkage_average", lambda: scipy.cluster.hierarchy.linkage(some, "average")
    yield "linkage_single", lambda: scipy.cluster.hierarchy.linkage(some, "single")


def images():
    nd, x = scipy.ndimage, g.standard_normal((1024, 1024))
    cells = nd.gaussian_filter(x, 3) > 0
    yield "gaussian_filter", lambda: nd.gaussian_filter(x, 2)
    yield "uniform_filter", lambda: nd.uniform_filter(x, 5)
    yield "sobel", lambda: nd.sobel(x, 0)
    yield "median_filter", lambda: nd.median_filter(x, 3)
    yield "maximum_filter", lambda: nd.maximum_filter(x, 7)
    yield "binary_opening", lambda: nd.binary_opening(cells)
    yield "label", lambda: nd.label(cells)
    yield "distance_transform", lambda: nd.distance_transform_edt(cells, return_indices=True)
    yield "zoom", lambda: nd.zoom(x, 0.7)
    yield "rotate", lambda: nd.rotate(x, 30, reshape=False)
    yield "rotate_linear", lambda: nd.rotate(x, 30, reshape=False, order=1)


def cases():
    for group in searches, curves, samples, rows, matrices, points, images:
        yield from group()


beside.main("./bench/science", "Host", cases)
