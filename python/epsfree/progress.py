"""Progress bars: in terminals, in notebooks, or a function of the user's."""
import contextlib
import sys
import time
import warnings

from .errors import EpsfreeWarning

_INTERVAL = 0.1
_WIDTH = 30
_QUICK = ("sampling", "searching")


def _in_notebook():
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


class Progress:
    """Called by the library a few times a second with what happens. Use as a context manager: at its
    end the bar is gone and warnings are given.

    `show` is True, False, None (if somebody is watching), or a function that is called with the event
    ("simulation", "training", "round", "repetition", "sampling", "searching" or "log") and its fields.
    """

    def __init__(self, show=None):
        self._callback = show if callable(show) else None
        self._notebook = _in_notebook()
        if show is None or self._callback:
            show = self._callback is None and (self._notebook or sys.stderr.isatty())
        self._show = bool(show)
        self._last = 0.0
        self._drawn = False
        self._handle = None
        self._warnings = []

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self._clear()
        if kind is None:
            for message in self._warnings:
                warnings.warn(message, EpsfreeWarning, stacklevel=3)

    def __call__(self, event, **fields):
        if event == "log" and fields["level"] == "warning":
            self._warnings.append(fields["message"])
        if self._callback is not None:
            self._callback(event, **fields)
        if not self._show or event not in ("simulation", "training", "repetition", *_QUICK):
            return
        now = time.monotonic()
        if now - self._last < _INTERVAL and fields["done"] < fields["total"]:
            return
        self._last = now
        label = {"simulation": "simulating", "repetition": "calibrating"}.get(event, event)
        if fields.get("num_rounds", 0) > 1:
            label = f"{fields['phase']} {fields['round']}/{fields['num_rounds']} {label}"
        note = ""
        if event == "training":
            note = f"  loss {fields['loss']:.3g}"
        elif fields.get("num_bad"):
            note = f"  {fields['num_bad']} not ok"
        self._draw(label, fields["done"], fields["total"], note)

    def _draw(self, label, done, total, note):
        share = min(done / total, 1.0) if total else 0.0
        if self._notebook:
            from IPython.display import HTML, display
            html = HTML(f"<span>{label}</span> <progress value='{share:.3f}' max='1'></progress> "
                        f"<span>{done}/{total}{note}</span>")
            if self._handle is None:
                self._handle = display(html, display_id=True)
            else:
                self._handle.update(html)
            return
        filled = int(share * _WIDTH)
        bar = "#" * filled + "." * (_WIDTH - filled)
        sys.stderr.write(f"\r{label} [{bar}] {done}/{total}{note}\033[K")
        sys.stderr.flush()
        self._drawn = True

    def _clear(self):
        if self._drawn:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
        if self._handle is not None:
            from IPython.display import HTML
            self._handle.update(HTML(""))


@contextlib.contextmanager
def progress(show, event, total):
    """Shows the progress of a quick operation if asked to; yields the function that reports it."""
    with Progress(show) as watch:
        watch(event, done=0, total=total)
        yield lambda done: watch(event, done=done, total=total)
        watch(event, done=total, total=total)
