"""Writes metrics.json: what scikit-learn computes for the metrics of package train.

    pip install scikit-learn
    python3 tensor/nn/train/testdata/metrics.py > tensor/nn/train/testdata/metrics.json
"""
import json
import math

import numpy as np
from sklearn import metrics as M

rng = np.random.default_rng(1)
n, classes = 60, 5
logits = np.round(rng.normal(size=(n, classes)), 2)
target = rng.integers(0, classes - 1, n)  # the last class does not occur
logits[np.arange(n), target] += 1
chosen = logits.argmax(1)
few = np.where(chosen == 3, 0, chosen)  # nothing is taken for class 3
x, y = np.round(rng.normal(size=n), 3), np.round(rng.normal(size=n) + 1000, 3)
scores, yes = np.round(rng.normal(size=n), 1), rng.integers(0, 2, n)
scores = np.round(scores + yes, 1)
logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))


def report(chosen):
    out = {"counts": M.confusion_matrix(target, chosen, labels=range(classes)).tolist(), "accuracy": M.accuracy_score(target, chosen)}
    for average in ("macro", "micro", "weighted"):
        out[average] = list(M.precision_recall_fscore_support(target, chosen, average=average, zero_division=0)[:3])
    return out


print(json.dumps({
    "logits": logits.tolist(), "target": target.tolist(), "chosen": report(chosen), "few": few.tolist(), "few_report": report(few),
    "top": [M.top_k_accuracy_score(target, logits, k=k, labels=range(classes)) for k in (1, 2, 3)],
    "x": x.tolist(), "y": y.tolist(), "mae": M.mean_absolute_error(y, x + 1000), "mse": M.mean_squared_error(y, x + 1000),
    "rmse": math.sqrt(M.mean_squared_error(y, x + 1000)), "r2": M.r2_score(y, x + 1000),
    "scores": scores.tolist(), "yes": yes.tolist(), "auroc": M.roc_auc_score(yes, scores),
    "perplexity": math.exp(M.log_loss(target, np.exp(logs), labels=range(classes))),
}))
