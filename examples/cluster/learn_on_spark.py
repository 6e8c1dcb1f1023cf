# SPDX-License-Identifier: BSD-3-Clause
"""Learning on Spark: samples and codes stay in cached partitions, sums come to the driver. spark-submit learn_on_spark.py"""

import functools

import numpy as np
from pyspark.sql import SparkSession

import dualdict

N_BLOCKS = 4

def rows_of(index):  # each executor reads or makes its own
    rng = np.random.default_rng(index)
    codes = rng.standard_normal((500, 24)) * (rng.random((500, 24)) < 0.1)
    return codes @ np.random.default_rng(99).standard_normal((24, 16))


def answer(request, wanted):
    def run(block):
        index, rows, codes, _ = block
        if index not in wanted:
            return index, rows, codes, None
        statistics, made = dualdict.block_statistics(request, rows, index, codes)
        return index, rows, made or codes, statistics
    return run


spark = SparkSession.builder.appName("dualdict").getOrCreate()
blocks = spark.sparkContext.parallelize(range(N_BLOCKS), N_BLOCKS).map(lambda i: (i, rows_of(i), None, None)).cache()
fit = dualdict.BlockFit(24, N_BLOCKS, penalty="l1", nonzeros=2)
while not fit.is_done:
    answered = blocks.map(answer(fit.request(), set(fit.blocks))).cache()
    parts = answered.map(lambda block: block[3]).filter(lambda part: part is not None).collect()  # in the order of the blocks
    fit.step(functools.reduce(dualdict.add_statistics, parts))
    blocks.unpersist()
    blocks = answered
model, summary = fit.result()
print(summary.outcome, summary.n_iter, "iterations, E", summary.iterations[-1].energy.total)
spark.stop()
