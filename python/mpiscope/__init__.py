"""mpiscope: records, explains, views and checks the MPI of parallel programs.

The command ``mpiscope`` records Python programs like any others; they do not have to import this package.
"""

from importlib import metadata
from pathlib import Path

__all__ = ["__version__", "library"]

try:
    __version__ = metadata.version("mpiscope")
except metadata.PackageNotFoundError:  # imported from a checkout
    __version__ = "0"


def library() -> Path:
    """Path of the collector ``libmpiscope.so`` of this installation.

    Raises
    ------
    FileNotFoundError
        If mpiscope was not installed by ``pip`` or a similar installer.
    """
    try:
        files = metadata.files("mpiscope") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "libmpiscope.so":
            return Path(file.locate()).resolve()
    raise FileNotFoundError("this installation of mpiscope has no libmpiscope.so; try: pip install .")
