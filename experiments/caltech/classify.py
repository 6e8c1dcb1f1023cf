# SPDX-License-Identifier: BSD-3-Clause
"""Accuracy of a linear SVM over random splits."""
import numpy as np
from sklearn.svm import LinearSVC

COST = 10


def split(labels, n_training, seed):
    """So many pictures of every class to train, the others to test."""
    random = np.random.default_rng(seed)
    training = np.zeros(len(labels), bool)
    for label in np.unique(labels):
        mine = np.flatnonzero(labels == label)
        training[random.choice(mine, min(n_training, len(mine) - 1), replace=False)] = True
    return training


def accuracy(features, labels, training):
    machine = LinearSVC(C=COST, random_state=0).fit(features[training], labels[training])
    found = machine.predict(features[~training])
    # The mean over classes: Motorbikes must not outvote chandeliers.
    wanted = labels[~training]
    by_class = [np.mean(found[wanted == label] == label) for label in np.unique(wanted)]
    return float(np.mean(found == wanted)), float(np.mean(by_class))


def accuracies(features, labels, n_training, n_splits):
    """{mean, deviation} over the splits of the share of right answers, and of its mean over classes."""
    rows = np.array([accuracy(features, labels, split(labels, n_training, seed)) for seed in range(n_splits)])
    return {"accuracy": rows[:, 0].mean(), "deviation": rows[:, 0].std(ddof=1) if n_splits > 1 else 0.0,
            "class_accuracy": rows[:, 1].mean(), "splits": [float(row) for row in rows[:, 0]]}
