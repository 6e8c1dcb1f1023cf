# SPDX-License-Identifier: BSD-3-Clause
"""Sparse autoencoders in PyTorch, and scikit-learn's minibatch learner, on one thread, for so many core seconds."""
import resource
import time

import numpy as np
from ours import N_TEST, quality

BATCH, DEAD_AFTER, AUXILIARY = 1024, 100, 1 / 32


class Autoencoder:
    """TopK: the largest n of a sample; BatchTopK: as many for a batch, and one threshold to code with afterwards. Atoms
    of norm 1; what the others leave is also explained by atoms that have long been unused (AuxK)."""

    def __init__(self, torch, kind, n_atoms, nonzeros, samples):
        torch.manual_seed(0)
        self.torch, self.kind, self.nonzeros, self.threshold = torch, kind, nonzeros, 0.0
        self.mean = samples.mean(0)
        chosen = samples[torch.randperm(len(samples))[:n_atoms]] - self.mean
        self.decoder = torch.nn.functional.normalize(chosen + 1e-3 * torch.randn_like(chosen))
        self.encoder, self.bias = self.decoder.clone(), torch.zeros(n_atoms)
        self.weights = [self.encoder, self.decoder, self.bias]
        for weight in self.weights:
            weight.requires_grad_()
        self.idle = torch.zeros(n_atoms)

    def products(self, x):
        return self.torch.relu((x - self.mean) @ self.encoder.T + self.bias)

    def kept(self, products, training):
        torch = self.torch
        if self.kind == "topk":
            values, places = products.topk(self.nonzeros, dim=1)
            return torch.zeros_like(products).scatter(1, places, values)
        if not training:
            return products * (products > self.threshold)
        limit = products.flatten().topk(self.nonzeros * len(products)).values[-1]
        self.threshold = limit.item() if self.threshold == 0 else 0.99 * self.threshold + 0.01 * limit.item()
        return products * (products >= limit)

    def loss(self, x):
        torch, products = self.torch, self.products(x)
        codes = self.kept(products, training=True)
        rest = x - self.mean - codes @ self.decoder
        loss = (rest**2).sum(1).mean()
        self.idle = torch.where((codes > 0).any(0), torch.zeros_like(self.idle), self.idle + 1)
        dead = self.idle > DEAD_AFTER
        if dead.any():
            values, places = (products * dead).topk(min(2 * self.nonzeros, int(dead.sum())), dim=1)
            some = torch.zeros_like(products).scatter(1, places, values)
            loss = loss + AUXILIARY * ((rest.detach() - some @ self.decoder) ** 2).sum(1).mean()
        return loss


def autoencoder(learn, test, work, kind, n_atoms, nonzeros, rate, seconds):
    import torch

    torch.set_num_threads(1)
    samples = torch.from_numpy(learn)
    scale = np.sqrt(learn.shape[1])  # rates are meant for rows of that length
    model = Autoencoder(torch, kind, n_atoms, nonzeros, samples * scale)
    adam = torch.optim.Adam(model.weights, lr=rate)
    began, order = time.process_time(), []
    while (spent := time.process_time() - began) < seconds:
        if len(order) < BATCH:
            order = torch.randperm(len(samples))
        block, order = order[:BATCH], order[BATCH:]
        for group in adam.param_groups:  # falls over the last 40 %
            group["lr"] = rate * min(1.0, (1 - spent / seconds) / 0.4)
        adam.zero_grad()
        model.loss(samples[block] * scale).backward()
        adam.step()
        with torch.no_grad():
            model.decoder /= model.decoder.norm(dim=1, keepdim=True)
    took = time.process_time() - began
    with torch.no_grad():
        rows = torch.from_numpy(test[:N_TEST]) * scale
        began = time.process_time()
        codes = model.kept(model.products(rows), training=False)
        microseconds = 1e6 * (time.process_time() - began) / len(rows)
        decoded = (codes @ model.decoder + model.mean) / scale
    row = {"mode": kind, "microseconds": microseconds}
    return {"seconds": took, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "modes": [row | quality(test[:N_TEST], learn.mean(0), decoded.numpy(), codes.numpy())]}


def minibatch(learn, test, work, n_atoms, nonzeros):
    from sklearn.decomposition import MiniBatchDictionaryLearning, sparse_encode

    mean = learn.mean(0)
    began = time.process_time()
    learner = MiniBatchDictionaryLearning(n_atoms, fit_algorithm="cd", batch_size=512, max_iter=1, n_jobs=1,
                                          random_state=0)
    atoms = learner.fit(learn - mean).components_
    took = time.process_time() - began
    rows = test[:1000] - mean
    began = time.process_time()
    codes = sparse_encode(rows, atoms, algorithm="omp", n_nonzero_coefs=nonzeros)
    row = {"mode": f"omp:{nonzeros}", "microseconds": 1e6 * (time.process_time() - began) / len(rows)}
    return {"seconds": took, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "modes": [row | quality(rows, np.float32(0), codes @ atoms, codes)]}
