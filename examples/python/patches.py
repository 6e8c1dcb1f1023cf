# SPDX-License-Identifier: BSD-3-Clause
"""Image patches: learn from clean images, then take the noise out of another one.

python patches.py    writes patches.png (atoms and filters) and denoised.png (clean, noisy, denoised)
"""

import numpy as np
from sklearn.feature_extraction.image import extract_patches_2d, reconstruct_from_patches_2d

import dualdict
from dualdict import DualDictionaryLearning

SIZE = 8
NOISE = 25.0


def centred(image):
    """All patches without their means, which are no business of the dictionary, and the means."""
    patches = extract_patches_2d(image, (SIZE, SIZE)).reshape(-1, SIZE * SIZE)
    means = patches.mean(axis=1, keepdims=True)
    return patches - means, means


def quality(image, clean):
    return 10 * np.log10(255**2 / np.mean((image - clean) ** 2))


*train, clean = dualdict.generate_images(6, 160, seed=1)
random = np.random.default_rng(0)
patches = np.vstack([centred(image)[0] for image in train])
patches = random.permutation(patches)[:8000]

learner = DualDictionaryLearning(128, tau=0.3, scale=100, tol=3e-3, max_iter=40).fit(patches)
print(f"{learner.summary_.outcome}: {learner.summary_.nonzeros_per_code:.1f} nonzeros per code")
dualdict.write_png("patches.png", learner.model_.mosaic())

noisy = (clean + NOISE * random.standard_normal(clean.shape)).astype(np.float32)
print(f"noisy: {quality(noisy, clean):.2f} dB")
samples, means = centred(noisy)
pictures = [clean, noisy]
for mode in ("sparse", "corrected", "exact"):
    # Few coefficients carry the image, the noise needs many: another sparsity for codes than for learning.
    learner.set_params(encode=mode, encode_tau=0.6)
    restored = learner.inverse_transform(learner.transform(samples)) + means
    image = reconstruct_from_patches_2d(restored.reshape(-1, SIZE, SIZE), clean.shape)
    print(f"{mode}: {quality(image, clean):.2f} dB")
    pictures.append(image)
dualdict.write_png("denoised.png", np.hstack(pictures))
print("Clean, noisy, and denoised by the three modes: denoised.png.")
