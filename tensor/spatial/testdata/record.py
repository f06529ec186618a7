"""Records what SciPy computes for the cases of spatial_test.go, in scipy.json beside this file.

    python3 tensor/spatial/testdata/record.py    # with SciPy 1.17
"""

import json
import pathlib

import numpy as np
import scipy.spatial as s
import scipy.spatial.distance as d

rng = np.random.default_rng(7)
cases = {}

a, b = rng.standard_normal((6, 5)), rng.standard_normal((4, 5))
b[1] = a[2]
p, q = np.abs(a), np.abs(b)
p[0, 2], q[0, 2] = 0, 0
m, n = (rng.random((6, 9)) < 0.5).astype(float), (rng.random((4, 9)) < 0.5).astype(float)
m[0], n[0] = 0, 0
variances = 0.5 + rng.random(5)
root = rng.standard_normal((5, 5))
inverse = np.linalg.inv(root @ root.T + np.eye(5))
cases |= {"a": a, "b": b, "p": p, "q": q, "m": m, "n": n, "variances": variances, "inverse": inverse}
for name in ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation", "canberra", "braycurtis"]:
    cases[f"cdist {name}"] = d.cdist(a, b, name)
    cases[f"pdist {name}"] = d.pdist(a, name)
for name in ["canberra", "jensenshannon"]:
    cases[f"cdist positive {name}"] = d.cdist(p, q, name)
for name in ["hamming", "jaccard"]:
    cases[f"cdist sets {name}"] = d.cdist(m, n, name)
for name in ["dice", "yule", "rogerstanimoto", "russellrao", "sokalsneath"]:
    cases[f"cdist sets {name}"] = d.cdist(m[1:] > 0, n[1:] > 0, name)
for power in [0.5, 1, 2, 3, 1.5]:
    cases[f"cdist minkowski {power}"] = d.cdist(a, b, "minkowski", p=power)
cases["cdist seuclidean"] = d.cdist(a, b, "seuclidean", V=variances)
cases["cdist mahalanobis"] = d.cdist(a, b, "mahalanobis", VI=inverse)
cases["squareform"] = d.squareform(d.pdist(a))

for dims in [1, 2, 3, 6]:
    points, x = rng.random((300, dims)), rng.random((20, dims)) * 1.4 - 0.2
    points[200:] = points[:100] + 1e-3 * rng.random((100, dims))
    tree = s.KDTree(points)
    cases |= {f"points {dims}": points, f"x {dims}": x}
    for power in [1, 2, 3, np.inf]:
        cases[f"distances {dims} {power}"], cases[f"ids {dims} {power}"] = tree.query(x, 5, p=power)
        cases[f"counts {dims} {power}"] = tree.query_ball_point(x, 0.3, p=power, return_length=True)
    cases[f"bound distances {dims}"], cases[f"bound ids {dims}"] = tree.query(x, 5, distance_upper_bound=0.1)
    cases[f"pairs {dims}"] = np.array(sorted(tree.query_pairs(0.01)))


def triangles(t):
    """Triangles with their least corner first, sorted."""
    rows = [np.roll(r, -int(np.argmin(r))) for r in t]
    return np.array(sorted(map(tuple, rows)))


for n in [3, 5, 60]:
    points = rng.standard_normal((n, 2))
    t, hull, v = s.Delaunay(points), s.ConvexHull(points), s.Voronoi(points)
    for r in t.simplices:  # those of Qhull are counterclockwise in a plane
        e = points[r[1:]] - points[r[0]]
        assert e[0, 0] * e[1, 1] > e[0, 1] * e[1, 0]
    x = rng.standard_normal((40, 2))
    found = t.find_simplex(x)
    corners = np.array([np.roll(t.simplices[i], -int(np.argmin(t.simplices[i]))) if i >= 0 else [-1] * 3 for i in found])
    cases |= {f"plane {n}": points, f"triangles {n}": triangles(t.simplices), f"at {n}": x, f"found {n}": corners,
        f"hull {n}": np.roll(hull.vertices, -int(np.argmin(hull.vertices))), f"sizes {n}": [hull.volume, hull.area],
        f"ridges {n}": np.array(sorted(tuple(sorted(r)) for r in v.ridge_points)),
        f"vertices {n}": np.array(sorted(map(tuple, v.vertices))),
        f"regions {n}": [len(v.regions[r]) for r in v.point_region]}


def flat(v):
    v = np.asarray(v, float)
    v = np.where(np.isinf(v), 1e300, v)  # JSON has no infinity
    return {"shape": v.shape, "values": [float(f"{e:.17g}") for e in v.ravel()]}


text = ",\n".join(f"{json.dumps(k)}: {json.dumps(flat(v), separators=(',', ':'))}" for k, v in cases.items())
(pathlib.Path(__file__).parent / "scipy.json").write_text("{\n" + text + "\n}\n")
