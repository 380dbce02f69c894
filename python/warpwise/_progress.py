"""Progress: a bar in a notebook, a line in a terminal, nothing elsewhere."""

from __future__ import annotations

import html
import sys


class Progress:
    """How much of some steps is done. Use it in a ``with`` statement."""

    def __init__(self, steps, what):
        self.steps, self.what, self.done = steps, what, 0
        self._handle = None
        self._terminal = False

    def __enter__(self):
        if "ipykernel" in sys.modules:
            from IPython.display import HTML, display

            self._html = HTML
            self._handle = display(HTML(self._bar()), display_id=True)
        else:
            self._terminal = sys.stderr is not None and sys.stderr.isatty()
        return self

    def step(self, note=""):
        """One more step is done."""
        self.done += 1
        if self._handle is not None:
            self._handle.update(self._html(self._bar(note)))
        elif self._terminal:
            sys.stderr.write(f"\r{self.what} {self.done}/{self.steps} {note:<40.40}")
            sys.stderr.flush()

    def _bar(self, note=""):
        share = 100 * self.done / max(self.steps, 1)
        return (
            "<div style='font:12px sans-serif'>"
            f"<progress value='{self.done}' max='{self.steps}' style='width:240px'></progress> "
            f"{html.escape(self.what)} {self.done}/{self.steps} ({share:.0f} %) {html.escape(note)}</div>"
        )

    def __exit__(self, *_):
        if self._handle is not None:
            self._handle.update(self._html(""))
        elif self._terminal:
            sys.stderr.write("\r" + " " * 70 + "\r")
            sys.stderr.flush()
