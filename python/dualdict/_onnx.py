# SPDX-License-Identifier: BSD-3-Clause
def to_onnx(model, mode="sparse"):
    raise NotImplementedError
