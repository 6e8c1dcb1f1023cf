// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "dualdict/encode.h"
#include "model/encoder_engine.h"
#include "model/modes/encode_settings.h"

namespace dualdict {

struct Encoder::Impl {
  Model model;
  ModeSettings settings;
  std::unique_ptr<EncoderEngine> engine;
};

Encoder::Encoder(const Model& model, const EncodeOptions& options, const DataSource* sample) {
  const ModeSettings settings = resolve_settings(model, options, sample);
  impl_ = std::make_unique<Impl>(Impl{model, settings, make_engine(model, settings, options.n_threads)});
}

Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

std::size_t Encoder::n_features() const {
  return impl_->model.n_features();
}
std::size_t Encoder::n_atoms() const {
  return impl_->model.n_atoms();
}
double Encoder::tau() const {
  return impl_->settings.tau;
}

void Encoder::encode(MatrixView<const float> samples, MatrixView<float> codes) const {
  impl_->engine->encode(samples, codes);
}
void Encoder::encode(MatrixView<const double> samples, MatrixView<double> codes) const {
  impl_->engine->encode(samples, codes);
}

}  // namespace dualdict
