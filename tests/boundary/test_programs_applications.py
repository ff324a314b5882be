"""Applications nobody here wrote: same results, and every call counted, in the run that is recorded.

Those that tools/need installs, and whatever else is there; `make programs` runs all, on more ranks."""

import sys

import pytest
from harness import HERE

sys.path.insert(0, str(HERE.parent / "programs"))
from applications import APPLICATIONS, compare  # noqa: E402

NAMES = [application.name for application in APPLICATIONS]


@pytest.mark.heavy
@pytest.mark.parametrize("application", APPLICATIONS, ids=NAMES)
def test_application(openmpi, work, application):
    if application.needs:
        pytest.skip(f"{application.package} is not installed: no {', '.join(application.needs)}")
    seen = compare(application, openmpi, 2, work)
    assert not seen.wrong, "\n".join(seen.wrong) + f"\n{seen.recording.done}"
    assert all(fate["kind"] == "finalized" for fate in seen.recording.fates().values())
    for options in ((), ("--full",)):
        page = seen.recording.report(*options)
        assert page.code == 0, str(page)
        assert max(map(len, page.out.splitlines())) <= 80, str(page)
