"""Regions, markers and values in a recorded Python program.

All functions do nothing unless the program runs under ``mpiscope run`` or ``mpiscope exec``.
"""

from __future__ import annotations

import ctypes
import functools
from contextlib import ContextDecorator

__all__ = [
    "begin",
    "clear",
    "end",
    "is_recording",
    "mark",
    "region",
    "snapshot",
    "start",
    "stop",
    "thread_start",
    "thread_stop",
    "value",
]


def _functions():
    """The recorder's functions, or None if no recorder is loaded."""
    recorder = ctypes.CDLL(None)  # the process itself: a preloaded library is in its scope
    try:
        recorder.mpiscope_begin
    except AttributeError:
        return None
    # PyDLL keeps the GIL: these functions are short and take no lock of Python.
    recorder = ctypes.PyDLL(None)
    text, void = ctypes.c_char_p, None
    for name, arguments, result in [
        ("mpiscope_begin", [text], void),
        ("mpiscope_end", [text], void),
        ("mpiscope_mark", [text], void),
        ("mpiscope_value_int", [text, text, ctypes.c_longlong], void),
        ("mpiscope_value_double", [text, text, ctypes.c_double], void),
        ("mpiscope_value_string", [text, text], void),
        ("mpiscope_start", [], void),
        ("mpiscope_stop", [], void),
        ("mpiscope_thread_start", [], void),
        ("mpiscope_thread_stop", [], void),
        ("mpiscope_is_recording", [], ctypes.c_int),
        ("mpiscope_snapshot", [text], void),
        ("mpiscope_clear", [text], void),
    ]:
        function = getattr(recorder, name, None)
        if function is None:
            return None  # an older recorder
        function.argtypes, function.restype = arguments, result
    return recorder


_recorder = _functions()


@functools.lru_cache(maxsize=4096)
def _bytes(text: str) -> bytes:
    """The same bytes object for the same name: the recorder looks names up by address first."""
    return text.encode("utf-8", "replace")


def begin(name: str) -> None:
    """Begin a region: an interval that is shown like MPI calls."""
    if _recorder:
        _recorder.mpiscope_begin(_bytes(name))


def end(name: str | None = None) -> None:
    """End the innermost region, or the innermost region called `name` and all regions inside it."""
    if _recorder:
        _recorder.mpiscope_end(None if name is None else _bytes(name))


def mark(name: str) -> None:
    """Record a marker: a point in time."""
    if _recorder:
        _recorder.mpiscope_mark(_bytes(name))


def value(name: str, value: int | float | str, *, unit: str = "") -> None:
    """Record a value at this moment.

    Parameters
    ----------
    name
        Name of the value.
    value
        An integer of at most 64 bits, a float, or a string.
    unit
        Its unit; ignored for strings.

    Examples
    --------
    >>> value("residual", 1.5e-9, unit="1")
    """
    if not _recorder:
        return
    if isinstance(value, str):
        _recorder.mpiscope_value_string(_bytes(name), value.encode("utf-8", "replace"))
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise OverflowError(f"the value of {name!r} does not fit into 64 bits: {value}; record it as a float")
        _recorder.mpiscope_value_int(_bytes(name), _bytes(unit), value)
    else:
        _recorder.mpiscope_value_double(_bytes(name), _bytes(unit), float(value))


class region(ContextDecorator):
    """A region as a context manager or a decorator.

    Examples
    --------
    >>> with region("solve"):
    ...     pass
    >>> @region("step")
    ... def step(): pass
    """

    def __init__(self, name: str):
        self.name = name

    def __enter__(self) -> "region":
        begin(self.name)
        return self

    def __exit__(self, *_) -> bool:
        end(self.name)
        return False


def start() -> None:
    """Resume the recording of this process."""
    if _recorder:
        _recorder.mpiscope_start()


def stop() -> None:
    """Pause the recording of this process."""
    if _recorder:
        _recorder.mpiscope_stop()


def thread_start() -> None:
    """Resume the recording of the calling thread."""
    if _recorder:
        _recorder.mpiscope_thread_start()


def thread_stop() -> None:
    """Pause the recording of the calling thread."""
    if _recorder:
        _recorder.mpiscope_thread_stop()


def snapshot(region: str | None = None) -> None:
    """Record the statistics of `region` (default: of everything) since the last `clear` of it, or since the start."""
    if _recorder:
        _recorder.mpiscope_snapshot(None if region is None else _bytes(region))


def clear(region: str | None = None) -> None:
    """Reset the statistics of `region` (default: of everything) for snapshots."""
    if _recorder:
        _recorder.mpiscope_clear(None if region is None else _bytes(region))


def is_recording() -> bool:
    """Whether the calling thread is being recorded."""
    return bool(_recorder and _recorder.mpiscope_is_recording())
