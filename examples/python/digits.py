# SPDX-License-Identifier: BSD-3-Clause
"""Digits: learn atoms and filters, look at them, see what each way of encoding buys.

python digits.py    writes digits.png and digits.safetensors
"""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import dualdict
from dualdict import DualDictionaryLearning

train, test = train_test_split(load_digits().data, random_state=0)

# Ten nonzeros per code; the price of one that leads to so many is found on the way.
learner = DualDictionaryLearning(n_components=100, nonzeros=10, scale=16, tol=1e-3).fit(train)
print(f"{learner.summary_.outcome} after {learner.n_iter_} iterations: {learner.summary_.message}")

print(f"{'mode':>14} {'code error':>11} {'explained':>10} {'nonzeros':>9}")
for row in learner.encoding_table_:
    if row.code_error is not None:
        print(f"{row.mode:>14} {row.code_error:11.3f} {1 - row.reconstruction_error**2:10.3f} {row.nonzeros:9.1f}")

for mode in ("linear", "hard", "greedy"):
    print(f"explained of unseen digits, {mode}: {learner.set_params(encode=mode).score(test):.3f}")

dualdict.write_png("digits.png", learner.model_.mosaic())
learner.save("digits.safetensors")  # dualdict info digits.safetensors
print("Atoms (left) and filters (right) are in digits.png.")
