"""mpiscope: records what the MPI of a parallel program does.

The command ``mpiscope`` does that, also for programs in Python; nothing needs to be imported for it.
"""

from importlib import metadata
from pathlib import Path

__all__ = ["__version__", "library"]

try:
    __version__ = metadata.version("mpiscope")
except metadata.PackageNotFoundError:  # imported from a checkout
    __version__ = "0"


def library() -> Path:
    """Where the collector ``libmpiscope.so`` of this installation lies.

    Raises
    ------
    FileNotFoundError
        If mpiscope was not installed by ``pip`` or a like installer.
    """
    try:
        files = metadata.files("mpiscope") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "libmpiscope.so":
            return Path(file.locate()).resolve()
    raise FileNotFoundError("this mpiscope was not installed with a libmpiscope.so; try: pip install .")
