// SPDX-License-Identifier: BSD-3-Clause
// The whole library: learn a dictionary and its dual, encode with one matrix product.
#pragma once

#include "dualdict/callbacks.h"
#include "dualdict/communicator.h"
#include "dualdict/data.h"
#include "dualdict/encode.h"
#include "dualdict/error.h"
#include "dualdict/fields.h"
#include "dualdict/files.h"
#include "dualdict/learn.h"
#include "dualdict/matrix.h"
#include "dualdict/model.h"
#include "dualdict/mosaic.h"
#include "dualdict/online.h"
#include "dualdict/options.h"
#include "dualdict/preprocess.h"
#include "dualdict/report.h"
#include "dualdict/stream.h"
#include "dualdict/summary.h"
#include "dualdict/verify.h"
#include "dualdict/version.h"
