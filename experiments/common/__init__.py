# SPDX-License-Identifier: BSD-3-Clause
"""What the experiments share: arguments, data, the command, results and figures."""
