// SPDX-License-Identifier: BSD-3-Clause
// What the opaque handles of the C interface hold.
#pragma once

#include <atomic>

#include "dualdict.h"
#include "dualdict/encode.h"
#include "dualdict/model.h"
#include "dualdict/options.h"
#include "dualdict/preprocess.h"

struct dualdict_options {
  dualdict::LearnOptions learn;
  dualdict::PreprocessOptions preprocess;
};

struct dualdict_interrupt {
  std::atomic<bool> flag = false;
};

struct dualdict_model {
  dualdict::Model model;
};

struct dualdict_encoder {
  dualdict::Encoder encoder;
};
