# SPDX-License-Identifier: BSD-3-Clause
"""Accuracy of a linear SVM over random splits."""
import numpy as np
from sklearn.svm import LinearSVC

COST = 10
# Shown beside it: dense features want less regularisation.
OTHER_COSTS = (1, 100)


def split(labels, n_training, seed):
    """So many pictures of every class to train, the others to test."""
    random = np.random.default_rng(seed)
    training = np.zeros(len(labels), bool)
    for label in np.unique(labels):
        mine = np.flatnonzero(labels == label)
        training[random.choice(mine, min(n_training, len(mine) - 1), replace=False)] = True
    return training


def coordinates(gram, training):
    """All pictures in an orthonormal basis of the training pictures' span, from the products of features.

    The weights of a linear SVM lie in that span and its penalty is their norm: a machine on these few coordinates is the one
    on the 21 K features, and much faster."""
    values, vectors = np.linalg.eigh(gram[np.ix_(training, training)])
    kept = values > 1e-7 * values[-1]
    return gram[:, training] @ (vectors[:, kept] / np.sqrt(values[kept]))


def accuracy(features, labels, training, cost=COST):
    """(mean over classes of the share of right answers, share of all). The first is how Caltech-101 is scored in ScSPM: the
    classes differ in size, and the large ones would decide."""
    machine = LinearSVC(C=cost, random_state=0, max_iter=10_000).fit(features[training], labels[training])
    found, wanted = machine.predict(features[~training]), labels[~training]
    by_class = [np.mean(found[wanted == label] == label) for label in np.unique(wanted)]
    return float(np.mean(by_class)), float(np.mean(found == wanted))


def accuracies(gram, labels, n_training, n_splits):
    """Mean and deviation over the splits of the accuracy, and of the share of all pictures."""
    rows, others = [], []
    for seed in range(n_splits):
        training = split(labels, n_training, seed)
        features = coordinates(gram, training)
        rows.append(accuracy(features, labels, training))
        others.append([accuracy(features, labels, training, cost)[0] for cost in OTHER_COSTS])
    mean, deviation = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1)
    return {"accuracy": mean[0], "deviation": deviation[0], "share": mean[1], "share_deviation": deviation[1],
            "accuracy_at_other_costs": dict(zip(OTHER_COSTS, np.mean(others, axis=0))),
            "splits": [row[0] for row in rows]}
