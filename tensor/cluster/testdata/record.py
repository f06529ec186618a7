"""Records what SciPy computes for the cases of cluster_test.go, in scipy.json beside this file.

    python3 tensor/cluster/testdata/record.py    # with SciPy 1.17
"""

import json
import pathlib

import numpy as np
import scipy.cluster.hierarchy as h
import scipy.cluster.vq as vq
import scipy.spatial.distance as d

rng = np.random.default_rng(5)
cases = {}
x = np.concatenate([rng.standard_normal((20, 3)) + c for c in ([0, 0, 0], [4, 0, 1], [0, 5, -2])])
rng.shuffle(x)
x = np.round(x, 6)
first = x[:4]
c, labels = vq.kmeans2(x, first, iter=100, minit="matrix")
cases |= {"x": x, "centroids": c, "labels": labels, "whiten": vq.whiten(x)}
cases["vq ids"], cases["vq distances"] = vq.vq(x, first)
for method in ["single", "complete", "average", "weighted", "ward"]:
    z = h.linkage(x, method)
    cases |= {method: z, f"{method} leaves": h.leaves_list(z), f"{method} cophenet": h.cophenet(z)}
    for k in [1, 2, 3, 7, 40]:
        cases[f"{method} into {k}"] = h.fcluster(z, k, "maxclust")
    for t in [0.5, 1, 2, 4]:
        cases[f"{method} at {t}"] = h.fcluster(z, t, "distance")
cases["cityblock"] = h.linkage(d.pdist(x, "cityblock"), "average")


def flat(v):
    v = np.asarray(v, float)
    return {"shape": v.shape, "values": [float(f"{e:.12g}") for e in v.ravel()]}


text = ",\n".join(f"{json.dumps(k)}: {json.dumps(flat(v), separators=(',', ':'))}" for k, v in cases.items())
(pathlib.Path(__file__).parent / "scipy.json").write_text("{\n" + text + "\n}\n")
