# SPDX-License-Identifier: BSD-3-Clause
"""Random autoencoders of other programs: saved by them, read by us, written by us, read by them."""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

import dualdict

N_FEATURES, N_ATOMS, N_ROWS = 24, 60, 200
SAELENS = ("standard", "jumprelu", "topk", "abstopk")


def randomise(parameters, seed):
    """Weights of size one, biases of .3: codes with zeros and without ties."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in parameters:
            size = 0.3 if parameter.ndim == 1 else 1.0
            parameter.copy_(size * torch.randn(parameter.shape, generator=generator))
            if name == "threshold":
                parameter.abs_()


class SaeLens:
    format = "saelens"

    def __init__(self, kind, seed):
        import sae_lens

        name = {"standard": "Standard", "jumprelu": "JumpReLU", "topk": "TopK", "abstopk": "AbsTopK"}[kind]
        extra = {"k": 1 + seed % 8, "rescale_acts_by_decoder_norm": seed % 3 == 0} if "topk" in kind else {}
        config = getattr(sae_lens, f"{name}SAEConfig")(
            d_in=N_FEATURES, d_sae=N_ATOMS, apply_b_dec_to_input=seed % 2 == 0, **extra
        )
        self.sae = getattr(sae_lens, f"{name}SAE")(config)
        randomise(self.sae.named_parameters(), seed)

    @staticmethod
    def save(sae, folder):
        sae.save_model(folder)

    @staticmethod
    def load(folder):
        import sae_lens

        return sae_lens.SAE.load_from_disk(folder)

    @staticmethod
    def codes(sae, rows):
        return sae.encode(rows)

    @staticmethod
    def decoded(sae, codes):
        return sae.decode(codes)


class Sparsify:
    format = "sparsify"

    def __init__(self, kind, seed):
        from sparsify import SparseCoder, SparseCoderConfig

        self.sae = SparseCoder(N_FEATURES, SparseCoderConfig(num_latents=N_ATOMS, k=1 + seed % 8))
        randomise(self.sae.named_parameters(), seed)

    @staticmethod
    def save(sae, folder):
        sae.save_to_disk(folder)

    @staticmethod
    def load(folder):
        from sparsify import SparseCoder

        return SparseCoder.load_from_disk(folder)

    @staticmethod
    def codes(sae, rows):
        found = sae.encode(rows)
        return torch.zeros(len(rows), N_ATOMS).scatter_(1, found.top_indices, found.top_acts)

    @staticmethod
    def decoded(sae, codes):
        return codes @ sae.W_dec + sae.b_dec


class SentenceTransformers:
    format = "sentence-transformers"

    def __init__(self, kind, seed):
        from sentence_transformers.sparse_encoder.modules import SparseAutoEncoder

        self.sae = SparseAutoEncoder(N_FEATURES, N_ATOMS, k=1 + seed % 8, k_aux=8)
        randomise(self.sae.named_parameters(), seed)

    @staticmethod
    def save(sae, folder):
        Path(folder).mkdir()
        sae.save(folder)

    @staticmethod
    def load(folder):
        from sentence_transformers.sparse_encoder.modules import SparseAutoEncoder

        return SparseAutoEncoder.load(folder)

    @staticmethod
    def codes(sae, rows):
        with torch.inference_mode():
            return sae({"sentence_embedding": rows})["sentence_embedding"]

    @staticmethod
    def decoded(sae, codes):
        return sae.decode(codes)


KINDS = {kind: SaeLens for kind in SAELENS} | {
    "sparsify": Sparsify,
    "sentence-transformers": SentenceTransformers,
}


def largest_difference(a, b):
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


@torch.no_grad()
def try_model(kind, seed, folder):
    """The largest differences of codes and of decoded rows, over the largest code: theirs to ours, and back."""
    program = KINDS[kind](kind, seed)
    rows = torch.randn(N_ROWS, N_FEATURES, generator=torch.Generator().manual_seed(1000 + seed))
    program.save(program.sae, str(folder / "theirs"))
    codes = program.codes(program.sae, rows)
    decoded = program.decoded(program.sae, codes)
    assert 0 < int((codes != 0).sum()) < codes.numel(), "a code without zeros, or of nothing else, tests nothing"
    scale = float(codes.abs().max())

    model = dualdict.import_model(folder / "theirs")
    ours = dualdict.encode(model, rows.numpy())
    there = largest_difference(ours, codes), largest_difference(dualdict.decode(model, ours), decoded)
    dualdict.export_model(model, folder / "ours", program.format)
    again = program.load(str(folder / "ours"))
    codes_again = program.codes(again, rows)
    back = largest_difference(codes_again, codes), largest_difference(program.decoded(again, codes_again), decoded)
    return [difference / scale for difference in (*there, *back)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--kind", choices=KINDS, action="append")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    failed = 0
    print("kind                   models  codes there  decoded there  codes back  decoded back  (over the largest code)")
    for kind in arguments.kind or KINDS:
        worst = np.zeros(4)
        for seed in range(arguments.models):
            with tempfile.TemporaryDirectory() as folder:
                worst = np.maximum(worst, try_model(kind, seed, Path(folder)))
        is_bad = worst[0] > 1e-6 or worst[2] > 1e-6 or worst.max() > 5e-6
        failed += is_bad
        print(f"{kind:22} {arguments.models:6}  {worst[0]:11.1e}  {worst[1]:13.1e}  {worst[2]:10.1e}  {worst[3]:12.1e}"
              + ("  FAILED" if is_bad else ""), flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
