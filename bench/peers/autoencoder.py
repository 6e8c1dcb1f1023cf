# SPDX-License-Identifier: BSD-3-Clause
"""The sparse autoencoder that people train: signed BatchTopK in PyTorch on one thread, Adam, a rate that falls to zero over the
last 40 %, an auxiliary loss for units that are silent. One product, a bias and one threshold code a sample."""
import time

import numpy as np

from settings import BATCH_SEED

BATCH, WARM_UP, SILENT_STEPS, AUXILIARY, TIMED_STEPS = 1024, 50, 200, 1 / 32, 30


class Coder:
    """u = z where |z| > t, z = W x + b; x ~ V u + c."""

    def __init__(self, weights, bias, decoder, offset):
        self.weights, self.bias, self.decoder, self.offset = weights, bias, decoder, offset

    def error(self, x, nonzeros):
        """|x - xhat| / |x| with exactly that mean count on these samples."""
        z = x @ self.weights.T + self.bias
        sizes = np.abs(z).ravel()
        kept = int(round(nonzeros * len(x)))
        threshold = np.partition(sizes, len(sizes) - kept - 1)[len(sizes) - kept - 1]
        decoded = np.where(np.abs(z) > threshold, z, 0) @ self.decoder + self.offset
        return float(np.linalg.norm(x - decoded) / np.linalg.norm(x))


def top_of_batch(z, k):
    import torch
    sizes = z.abs().flatten()
    threshold = torch.kthvalue(sizes, sizes.numel() - k * len(z)).values
    return torch.where(z.abs() > threshold, z, torch.zeros_like(z))


def train(samples_path, n_atoms, nonzeros, rate, seconds):
    """(core seconds taken, steps, Coder) of one training of about that many core seconds."""
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(BATCH_SEED)
    data = np.load(samples_path).astype(np.float32)
    mean = data.mean(axis=0)
    scale = float(1 / np.sqrt(np.mean((data - mean) ** 2)))
    x = torch.from_numpy((data - mean) * scale)
    started = time.process_time()
    decoder = torch.nn.functional.normalize(torch.randn(n_atoms, x.shape[1]), dim=1).requires_grad_()
    weights = decoder.detach().clone().requires_grad_()
    bias, offset = torch.zeros(n_atoms, requires_grad=True), torch.zeros(x.shape[1], requires_grad=True)
    optimiser = torch.optim.Adam([weights, decoder, bias, offset], lr=rate)
    silent, n_steps, step = torch.zeros(n_atoms), None, 0
    while n_steps is None or step < n_steps:
        falling = 1.0 if n_steps is None else min(1.0, (n_steps - step) / (0.4 * n_steps))
        for group in optimiser.param_groups:
            group["lr"] = rate * falling * min(1.0, (step + 1) / WARM_UP)
        batch = x[torch.randint(len(x), (BATCH,))]
        z = (batch - offset) @ weights.T + bias
        u = top_of_batch(z, nonzeros)
        rest = batch - offset - u @ decoder
        loss = rest.pow(2).sum(1).mean()
        silent = torch.where((u != 0).any(0), torch.zeros_like(silent), silent + 1)
        if (dead := silent > SILENT_STEPS).any():
            some = z[:, dead]
            other = top_of_batch(some, min(nonzeros, some.shape[1] - 1)) if some.shape[1] > 1 else some
            loss = loss + AUXILIARY * (rest.detach() - other @ decoder[dead]).pow(2).sum(1).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            decoder.copy_(torch.nn.functional.normalize(decoder, dim=1))
        step += 1
        if step == TIMED_STEPS:
            n_steps = max(2 * TIMED_STEPS, int(seconds / (time.process_time() - started) * TIMED_STEPS))
    taken = time.process_time() - started
    wide = [tensor.detach().numpy().astype(np.float64) for tensor in (weights, bias, decoder, offset)]
    return taken, step, in_given_units(wide, mean, scale)


def in_given_units(tensors, mean, scale):
    weights, bias, decoder, offset = tensors
    return Coder(weights, bias / scale - weights @ (mean + offset / scale), decoder, mean + offset / scale)
