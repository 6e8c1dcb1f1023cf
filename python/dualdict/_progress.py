# SPDX-License-Identifier: BSD-3-Clause
"""Progress of a fit: one line that is renewed in a terminal or notebook, one line an iteration elsewhere."""

import sys
import time

FIRST_SECONDS, SECONDS = 1.8, 5  # of silence, after which the phase is shown


def _in_notebook():
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


class Progress:
    """verbose 0 shows nothing, 1 the iterations, 2 also what the learner has to say in words."""

    def __init__(self, verbose, max_iter):
        self._verbose = int(verbose)
        self._max_iter = max_iter
        self._display = None
        self._notebook = self._verbose > 0 and _in_notebook()
        self._terminal = not self._notebook and sys.stderr is not None and sys.stderr.isatty()
        self._open = False
        self._began = self._last_said = time.monotonic()

    def record(self, record):
        if self._verbose < 1:
            return
        line = (
            f"iteration {record.iteration} of at most {self._max_iter}, {record.seconds:.1f} s: "
            f"E {record.energy.total:.6g}, {record.nonzeros_per_code:.4g} nonzeros per code, "
            f"{record.dead_atoms} dead atoms, "
            + (f"tau moved to {record.tau:.4g}" if record.tau_moved else f"change {record.relative_change:.2e}")
        )
        self._show(line)

    def message(self, text):
        if self._verbose > 1:
            self.close()
            print(f"dualdict: {text}", file=sys.stderr)
            self._last_said = time.monotonic()

    def phase(self, text):
        """What is being done, many times a second; shown when nothing was for some seconds."""
        now = time.monotonic()
        patience = FIRST_SECONDS if self._last_said == self._began else SECONDS
        if text and self._verbose > 0 and now - self._last_said >= patience:
            self._show(f"{text}, {now - self._began:.1f} s")

    def close(self):
        if self._open:
            print(file=sys.stderr)
            self._open = False

    def _show(self, line):
        self._last_said = time.monotonic()
        if self._notebook:
            self._show_in_notebook(line)
        elif self._terminal:
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
            self._open = True
        else:
            print(line, file=sys.stderr)

    def _show_in_notebook(self, line):
        text = {"text/plain": line}
        if self._display is None:
            from IPython.display import display

            self._display = display(text, raw=True, display_id=True)
        else:
            self._display.update(text, raw=True)
