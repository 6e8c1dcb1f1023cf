# SPDX-License-Identifier: BSD-3-Clause
"""What one product is worth: every way of encoding against exact codes, simple baselines and sparse autoencoders."""
import time

import numpy as np
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

import dualdict
from common import measures, start
import autoencoders
import figures
import problems

NAME = "dual-quality"
MODES = ("linear", "sparse", "corrected", "refine:3", "exact")
COST = 30
FULL = {"patches": 30_000, "unseen": 5000, "digits": 10_000, "unseen_digits": 10_000, "atoms": 200, "rtol": 1e-3,
        "iterations": 100, "classified": 10_000, "classified_tau": 0.2, "patch_taus": (1, 0.1, 0.02), "patch_etas": (1, 0),
        "digit_taus": (0.2, 0.05), "digit_etas": (1, 0.1, 0.001), "rival_steps": {"patches": 3000, "digits": 1500},
        "rivals": {"patches": ((1, 1), (0.1, 1)), "digits": ((0.2, 0.001),)}}
QUICK = {"patches": 800, "unseen": 200, "digits": 500, "unseen_digits": 300, "atoms": 40, "rtol": 1e-2, "iterations": 8,
         "classified": 400, "classified_tau": 0.05, "patch_taus": (0.05,), "patch_etas": (1, 0), "digit_taus": (0.05,),
         "digit_etas": (1,), "rival_steps": {"patches": 30, "digits": 30},
         "rivals": {"patches": ((0.05, 1),), "digits": ((0.05, 1),)}}
DEBIASED = 1000


def microseconds(code, samples):
    """CPU time of one thread for a sample, the best of three rounds."""
    best = np.inf
    with threadpool_limits(1):
        for _ in range(3):
            started = time.process_time()
            code(samples)
            best = min(best, time.process_time() - started)
    return 1e6 * best / len(samples)


def svm_accuracy(training, labels, unseen, unseen_labels):
    machine = LinearSVC(C=COST, dual=False, tol=1e-2).fit(training, labels)
    return float(np.mean(machine.predict(unseen) == unseen_labels))


class Judge:
    """Measures codes on the unseen samples of a problem."""

    def __init__(self, problem, sizes):
        self.problem, self.n = problem, sizes["classified"]
        self.classifies = problem.labels is not None

    def accuracy(self, code):
        """Of a linear SVM on the codes, or None where there are no labels or none is wanted."""
        if not self.classifies:
            return None
        return svm_accuracy(code(self.problem.training[:self.n]), self.problem.labels[:self.n], code(self.problem.unseen),
                            self.problem.unseen_labels)

    def row(self, code, restored, atoms=None, exact=None):
        unseen = self.problem.unseen
        codes = code(unseen)
        used = codes != 0
        row = {"nonzeros": float(used.sum(axis=1).mean()), "error": measures.relative(unseen, restored(codes)),
               "microseconds": microseconds(code, unseen[:1000]), "accuracy": self.accuracy(code)}
        if exact is not None:
            row["code_error"] = measures.relative(exact, codes)
            both, either = np.sum(used & (exact != 0)), np.sum(used | (exact != 0))
            row["support_overlap"] = float(both / either)
        # With more nonzeros than features, least squares is perfect and says nothing.
        if atoms is not None and row["nonzeros"] < 0.95 * unseen.shape[1]:
            row["debiased_error"] = autoencoders.debiased_error(unseen[:DEBIASED], codes[:DEBIASED], atoms)
        return row


def our_rows(judge, model):
    """The modes of one model, and D'x thresholded to as many nonzeros as the sparse code has."""
    exact = dualdict.encode(model, judge.problem.unseen, "exact")
    rows = {}
    for mode in MODES:
        rows[mode] = judge.row(lambda x, mode=mode: dualdict.encode(model, x, mode, n_jobs=1),
                               lambda u, mode=mode: dualdict.decode(model, u, mode), model.components, exact)
    products = judge.problem.training[:2000] @ model.components.T
    limit = np.quantile(np.abs(products), 1 - rows["sparse"]["nonzeros"] / model.n_atoms)

    def thresholded(x):
        product = x @ model.components.T
        return np.sign(product) * np.maximum(np.abs(product) - limit, 0)
    # The decoder that suits these codes best: least squares, as the sparse code has its own.
    codes = thresholded(judge.problem.training)
    products = codes.T @ codes + 1e-6 * np.eye(codes.shape[1])
    decoder = np.linalg.lstsq(products, codes.T @ judge.problem.training, rcond=None)[0]
    rows["D'x thresholded"] = judge.row(thresholded, lambda u: u @ decoder, model.components, exact)
    return rows


def baseline_rows(judge, nonzeros):
    """PCA with as many components as codes have nonzeros, and with as many as there are atoms; the samples themselves."""
    rows = {}
    features = judge.problem.training.shape[1]
    for n in sorted({max(1, round(n)) for n in nonzeros} | {min(200, features)}):
        basis = measures.pca_basis(judge.problem.training, n).astype(np.float32)
        rows[f"PCA, {n} components"] = judge.row(lambda x, basis=basis: x @ basis.T, lambda u, basis=basis: u @ basis)
    if judge.problem.labels is not None:
        rows["pixels"] = {"nonzeros": float(features), "error": 0.0, "microseconds": 0.0,
                          "accuracy": judge.accuracy(lambda x: x)}
    return rows


def rival_rows(place, judge, wanted, steps, n_atoms):
    rows = {}
    for kind, what in autoencoders.KINDS.items():
        rival = autoencoders.Autoencoder(kind, wanted, judge.problem.training, n_atoms).train(judge.problem.training, steps)
        rows[what] = judge.row(rival.code, lambda u, rival=rival: u @ rival.atoms, rival.atoms)
        place.say(f"{judge.problem.name}, {what}: {rows[what]['nonzeros']:.1f} nonzeros, error {rows[what]['error']:.3f}")
    return rows


def lasso_row(judge, model, wanted):
    """The exact lasso (eta = 0) on a dictionary learned for denser codes, with the wanted nonzeros."""
    return judge.row(lambda x: dualdict.encode(model, x, "exact", nonzeros=wanted, eta=0, n_jobs=1),
                     lambda u: u @ model.components, model.components)


def evaluate_problem(place, problem, key, sizes):
    judge = Judge(problem, sizes)
    fits, models = [], {}
    for eta in problem.etas:
        for tau in problem.taus:
            model, summary = dualdict.learn(problem.training, sizes["atoms"], tau, eta=eta, tol=sizes["rtol"],
                                            max_iter=sizes["iterations"], random_state=0)
            models[tau, eta] = model
            judge.classifies = problem.labels is not None and tau == sizes["classified_tau"]
            fits.append({"tau": tau, "eta": eta, "outcome": summary.outcome, "rows": our_rows(judge, model)})
            place.say(f"{problem.name}, tau {tau}, eta {eta}: {fits[-1]['rows']['exact']['nonzeros']:.1f} nonzeros")
    judge.classifies = problem.labels is not None
    exact = {(fit["tau"], fit["eta"]): fit["rows"]["exact"]["nonzeros"] for fit in fits}
    rivals = []
    densest = models[min(problem.taus), min(problem.etas)]
    for pair in sizes["rivals"][key]:
        rows = rival_rows(place, judge, exact[pair], sizes["rival_steps"][key], sizes["atoms"])
        if min(problem.taus) < pair[0]:
            rows["exact lasso, D learned for denser codes"] = lasso_row(judge, densest, exact[pair])
        rivals.append({"tau": pair[0], "eta": pair[1], "nonzeros": exact[pair], "rows": rows})
    baselines = baseline_rows(judge, [exact[pair] for pair in sizes["rivals"][key]])
    return {"name": problem.name, "training": len(problem.training), "unseen": len(problem.unseen), "atoms": sizes["atoms"],
            "fits": fits, "baselines": baselines, "rivals": rivals}


def evaluate(place, sizes):
    found = {"svm_cost": COST, "classified": sizes["classified"]}
    for key, make in (("patches", problems.patch_problem), ("digits", problems.digit_problem)):
        found[key] = evaluate_problem(place, make(place, sizes), key, sizes)
    return found


def main():
    place, found = start.run(NAME, __doc__, evaluate, FULL, QUICK)
    figures.draw(place, found)


if __name__ == "__main__":
    main()
