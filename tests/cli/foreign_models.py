# SPDX-License-Identifier: BSD-3-Clause
"""Random sparse autoencoders in the files of other programs, and what they compute, in NumPy."""

import json

import numpy as np
from safetensors.numpy import save_file

KINDS = ("standard", "jumprelu", "topk", "abstopk", "sparsify", "sentence-transformers")


class Foreign:
    """Weights of one kind, and its codes by the definition of the program that it belongs to."""

    def __init__(self, kind, seed, n_features=12, n_atoms=20, dtype=np.float32):
        random = np.random.default_rng(seed)
        self.kind, self.k = kind, 1 + seed % 5
        self.encoder = random.standard_normal((n_atoms, n_features)).astype(dtype)
        self.decoder = (random.standard_normal((n_atoms, n_features)) * 0.7).astype(dtype)
        if kind == "sentence-transformers":
            self.decoder = self.encoder
        self.bias = (0.3 * random.standard_normal(n_atoms)).astype(dtype)
        self.decoder_bias = (0.3 * random.standard_normal(n_features)).astype(dtype)
        self.threshold = random.uniform(-0.2, 2, n_atoms).astype(dtype)
        self.applies_bias = kind in ("sparsify", "sentence-transformers") or bool(seed % 2)
        self.rescales = kind in ("topk", "abstopk") and seed % 3 == 0

    def codes(self, samples):
        """In float64."""
        samples = samples.astype(np.float64)
        if self.applies_bias:
            samples = samples - self.decoder_bias
        z = samples @ self.encoder.astype(np.float64).T + self.bias
        if self.rescales:
            z = z * np.linalg.norm(self.decoder.astype(np.float64), axis=1)
        if self.kind == "standard":
            return np.maximum(z, 0)
        if self.kind == "jumprelu":
            return np.maximum(z, 0) * (z > self.threshold)
        size = np.abs(z) if self.kind == "abstopk" else z
        kept = np.argsort(-size, axis=1, kind="stable")[:, : self.k]
        codes = np.zeros_like(z)
        np.put_along_axis(codes, kept, np.take_along_axis(z, kept, axis=1), axis=1)
        return codes if self.kind == "abstopk" else np.maximum(codes, 0)

    def decoded(self, codes):
        decoder = self.decoder.astype(np.float64)
        if self.rescales:
            codes = codes / np.linalg.norm(decoder, axis=1)
        return codes @ decoder + self.decoder_bias

    def config(self):
        n_atoms, n_features = self.encoder.shape
        if self.kind == "sparsify":
            return {"activation": "topk", "expansion_factor": 32, "normalize_decoder": True, "num_latents": n_atoms,
                    "k": self.k, "multi_topk": False, "skip_connection": False, "transcode": False,
                    "d_in": n_features}
        if self.kind == "sentence-transformers":
            return {"input_dim": n_features, "hidden_dim": n_atoms, "k": self.k, "k_aux": 8, "normalize": False,
                    "dead_threshold": 30}
        config = {"architecture": self.kind, "d_in": n_features, "d_sae": n_atoms, "dtype": "float32", "device": "cpu",
                  "apply_b_dec_to_input": self.applies_bias, "normalize_activations": "none",
                  "reshape_activations": "none", "metadata": {"sae_lens_version": "6.0.0"}}
        if "topk" in self.kind:
            config |= {"k": self.k, "rescale_acts_by_decoder_norm": self.rescales}
        return config

    def tensors(self):
        if self.kind == "sparsify":
            return {"encoder.weight": self.encoder, "encoder.bias": self.bias, "W_dec": self.decoder,
                    "b_dec": self.decoder_bias}
        if self.kind == "sentence-transformers":
            return {"encoder.weight": self.encoder, "latent_bias": self.bias, "pre_bias": self.decoder_bias,
                    "stats_last_nonzero": np.zeros(len(self.encoder), np.int64)}
        tensors = {"W_enc": np.ascontiguousarray(self.encoder.T), "b_enc": self.bias, "W_dec": self.decoder,
                   "b_dec": self.decoder_bias}
        return tensors | ({"threshold": self.threshold} if self.kind == "jumprelu" else {})

    def names(self):
        if self.kind == "sparsify":
            return "cfg.json", "sae.safetensors"
        if self.kind == "sentence-transformers":
            return "config.json", "model.safetensors"
        return "cfg.json", "sae_weights.safetensors"

    def format(self):
        return self.kind if self.kind in ("sparsify", "sentence-transformers") else "saelens"

    def save(self, folder, config=None, tensors=None):
        folder.mkdir(parents=True, exist_ok=True)
        name, weights = self.names()
        (folder / name).write_text(json.dumps(self.config() | (config or {})))
        save_file({**self.tensors(), **(tensors or {})}, folder / weights)
        return folder
