// SPDX-License-Identifier: BSD-3-Clause
// The one threshold or price of the modes that have one for all samples and atoms, by the number of nonzeros it gives.
#pragma once

#include "core/thread_pool.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"

namespace dualdict {

// FittedEncoder::levels. Samples are preprocessed, less the model's offset, and best ones that nothing was learned
// from. `wanted`: the model's own number of nonzeros.
Matrix<double> hard_levels(const ModelParts& parts, const std::vector<double>& bias, MatrixView<const double> samples,
                           double wanted, ThreadPool& pool);
Matrix<double> greedy_levels(const ModelParts& parts, MatrixView<const double> samples, double wanted,
                             ThreadPool& pool);
// One of greedy codes alone.
double greedy_price(const ModelParts& parts, MatrixView<const double> samples, double wanted, ThreadPool& pool);

// The level of that many nonzeros, between those that are there.
bool has_level(const Matrix<double>& levels, double nonzeros);
double level_at(const Matrix<double>& levels, double nonzeros);

}  // namespace dualdict
