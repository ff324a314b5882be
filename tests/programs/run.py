#!/usr/bin/env python3
"""Every application of applications.py: bare, recorded, and recorded with the counter in front.

`make programs` runs it."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from applications import APPLICATIONS, compare
from harness import MPIS

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("names", nargs="*", help="only those whose name contains one of these")
arguments.add_argument("--ranks", default="2,4", help="default 2,4")
arguments.add_argument("--keep", type=Path, help="directory for runs and results, kept")
options = arguments.parse_args()

place = options.keep or Path(tempfile.mkdtemp(prefix="programs."))
failed = 0
for application in APPLICATIONS:
    if options.names and not any(name in application.name for name in options.names):
        continue
    if application.needs:
        print(f"{application.name:<16} skipped: {', '.join(application.needs)} is not installed")
        continue
    for ranks in map(int, options.ranks.split(",")):
        work = place / f"{application.name}.{ranks}"
        shutil.rmtree(work, ignore_errors=True)
        try:
            seen = compare(application, MPIS["openmpi"], ranks, work)
        except AssertionError as error:
            print(f"{application.name:<16} {ranks} ranks: {error}")
            failed += 1
            continue
        print(
            f"{application.name:<16} {ranks} ranks {sum(seen.counts.values()):>9,} calls of {len(seen.counts)} functions "
            f"exit {seen.recording.done.code} {'same' if not seen.wrong else 'DIFFERS'}",
            flush=True,
        )
        for text in seen.wrong:
            print("    " + text.replace("\n", "\n    "))
        failed += bool(seen.wrong)
if not options.keep:
    shutil.rmtree(place)
sys.exit(min(failed, 1))
