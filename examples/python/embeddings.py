# SPDX-License-Identifier: BSD-3-Clause
"""Embeddings to sparse codes, in a pipeline with a classifier whose parameters are searched.

python embeddings.py    writes codes.png: the codes of unseen samples, sorted by class; embeddings.onnx
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.random_projection import GaussianRandomProjection

import dualdict
from dualdict import DualDictionaryLearning

# Dense vectors of 48 numbers, as a network might give; here random mixtures of pixels.
X, y = load_digits(return_X_y=True)
embeddings = GaussianRandomProjection(48, random_state=0).fit_transform(X).astype(np.float32)
train, test, y_train, y_test = train_test_split(embeddings, y, random_state=0)

pipeline = Pipeline([
    ("codes", DualDictionaryLearning(n_components=96, scale="unit", center_features=True, tol=1e-2, max_iter=30)),
    ("classifier", LogisticRegression(C=100, max_iter=200)),
])
search = GridSearchCV(pipeline, {"codes__nonzeros": [5, 15], "codes__encode": ["linear", "hard"]}, cv=2)
search.fit(train, y_train)
for parameters, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"]):
    print(f"{parameters['codes__encode']:>10}, fitted for {parameters['codes__nonzeros']:2} nonzeros: {score:.3f}")

best = search.best_estimator_
codes = best["codes"].transform(test)
print(f"unseen: {best.score(test, y_test):.3f} correct with {(codes != 0).sum(axis=1).mean():.1f} nonzeros of 96")

rows = np.abs(codes[np.argsort(y_test, kind="stable")])
dualdict.write_png("codes.png", np.repeat(255 * np.minimum(1, rows / np.quantile(rows, 0.99)), 4, axis=1))

with open("embeddings.onnx", "wb") as file:  # the encoder, for onnxruntime
    file.write(best["codes"].to_onnx().SerializeToString())
print("A row of codes.png is a sample, a column an atom; classes follow each other. embeddings.onnx encodes.")
