"""Samples to rows: medians, spreads, differences of neighbouring runs, verdicts."""

from __future__ import annotations

import dataclasses
import statistics
import sys

# A normal distribution's standard deviation is this many median absolute deviations; its
# median of n values has 1.253 times the standard error of the mean.
MAD_TO_SIGMA = 1.4826
MEDIAN_ERROR = 1.253
# Samples further out than this many such deviations are named.
OUTLIER_SIGMAS = 6


def median(values):
    return statistics.median(values)


def mad(values):
    middle = median(values)
    return median([abs(v - middle) for v in values])


def outliers(values):
    """How many values stand apart. Half a percent of the median always counts as close, and
    fewer than five values have none."""
    if len(values) < 5:
        return 0
    middle = median(values)
    near = max(OUTLIER_SIGMAS * MAD_TO_SIGMA * mad(values), abs(middle) * 0.005)
    return sum(abs(v - middle) > near for v in values)


def alternate(rounds, variants, what):
    """Runs every variant once in each round, in the same order: A B C A B C …

    `variants` maps names to functions that return a dict of numbers. A variant that fails in
    the first round is left out with a warning; a later failure loses that whole round, so that
    the n-th samples of all variants were neighbours in time.
    Returns {variant: {quantity: [number of each round]}}.
    """
    samples = {}
    for number in range(rounds):
        progress(f"{what}: round {number + 1} of {rounds}")
        this = {}
        for name, run in list(variants.items()):
            try:
                this[name] = run()
            except RunFailed as failure:
                warn(f"{what}, {name}: {failure}")
                if number == 0:
                    variants = {k: v for k, v in variants.items() if k != name}
        if this.keys() == variants.keys():
            for name, numbers in this.items():
                for quantity, value in numbers.items():
                    samples.setdefault(name, {}).setdefault(quantity, []).append(value)
    progress("")
    return samples


class RunFailed(Exception):
    """A program did not end well, or did not say what it should."""


@dataclasses.dataclass
class Row:
    """One line of the table, and what it was made of."""

    measure: str
    mpi: str
    case: str
    unit: str
    bar: float | None
    control: float | None  # median without the tool
    value: float  # median with it
    added: float  # median of the differences of neighbouring runs; or the value, without control
    spread: float  # median absolute deviation of these
    best: float | None  # difference of the smallest values: what is left when nobody disturbs
    runs: int
    over_nop: float | None = None  # the same against empty hooks
    nop: float | None = None
    outliers: int = 0
    samples: dict = dataclasses.field(default_factory=dict)

    @property
    def uncertain(self):
        """Whether another invocation may well end on the other side of the bar."""
        error = 2 * MEDIAN_ERROR * MAD_TO_SIGMA * self.spread / max(self.runs, 1) ** 0.5
        return self.bar is not None and abs(self.added - self.bar) < error

    @property
    def verdict(self):
        if self.bar is None:
            return ""
        return ("PASS" if self.added <= self.bar else "MISS") + ("?" if self.uncertain else "")


def compare(measure, mpi, case, unit, bar, samples, quantity, variant, percent=False, best=None):
    """A row for `variant` against `none` (and `nop`, if it ran); None if either is missing.

    With `percent`, the difference is given in percent of the control of the same round. `best` names the
    quantity for `Row.best`, if it is another one."""
    if "none" not in samples or variant not in samples:
        return None

    def differences(base):
        pairs = zip(samples[variant][quantity], samples[base][quantity])
        return [(with_ - without) * (100 / without if percent else 1) for with_, without in pairs]

    added = differences("none")
    least = {name: min(samples[name][best or quantity]) for name in ("none", variant)}
    raw = {name: numbers[quantity] for name, numbers in samples.items() if name in ("none", "nop", variant)}
    nop = "nop" in samples and variant != "nop"
    return Row(
        measure, mpi, case, unit, bar,
        control=median(raw["none"]), value=median(raw[variant]), added=median(added), spread=mad(added),
        best=(least[variant] - least["none"]) * (100 / least["none"] if percent else 1),
        runs=len(added), over_nop=median(differences("nop")) if nop else None,
        nop=median(raw["nop"]) if nop else None,
        outliers=sum(outliers(v) for v in raw.values()), samples=raw,
    )


def plain(measure, mpi, case, unit, bar, value):
    """A row for a number that needs no control."""
    return Row(measure, mpi, case, unit, bar, None, value, value, 0.0, None, 1, samples={"value": [value]})


def alone(measure, mpi, case, unit, bar, values):
    """A row for several samples of a number that needs no control."""
    return Row(measure, mpi, case, unit, bar, None, median(values), median(values), mad(values), min(values), len(values),
               outliers=outliers(values), samples={"value": values})


HEAD = ("measure", "MPI", "case", "none", "tool", "added", "±", "of best", "over nop", "unit", "runs", "bar", "")


def table(rows):
    """Rows as text that is a Markdown table too."""

    def number(value):
        if value is None:
            return "–"
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"

    lines = [HEAD, None]
    for r in rows:
        bar = "" if r.bar is None else f"≤ {r.bar:g}"
        spread = number(r.spread) if r.runs > 1 else ""
        lines.append((r.measure, r.mpi, r.case, number(r.control), number(r.value), number(r.added), spread,
                      number(r.best), number(r.over_nop), r.unit, str(r.runs), bar, r.verdict))
    cells = [line for line in lines if line]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEAD))]
    left = (0, 1, 2, 9, 12)

    def text(line):
        if line is None:
            return "|" + "|".join("-" * (w + 1) + ("-" if i in left else ":") for i, w in enumerate(widths)) + "|"
        return "| " + " | ".join(c.ljust(w) if i in left else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))) + " |"

    return "\n".join(text(line) for line in lines)


def progress(text):
    """What runs now, on a terminal only."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def warn(text):
    progress("")
    print(f"bench: {text}", file=sys.stderr)
