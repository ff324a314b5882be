"""Machine profiles that are not measured."""

import json


def network(path, ns_per_byte):
    """Writes a profile of two hosts whose messages take exactly as long as their bytes."""
    host = {"processor": None, "kernel": None, "usable_cpus": 1, "cores": 1, "ranks": 1, "others_cores": 0, "stolen_share": 0, "throttled_s": 0}
    hosts = [{"host": name, **host} for name in ("a", "b")]

    def point(size):
        times = dict.fromkeys(("median_ns", "min_ns", "p05_ns", "p95_ns", "max_ns"), size * ns_per_byte)
        unknown = dict.fromkeys(("low_ns", "high_ns", "rank_min_ns", "rank_median_ns", "drift_share", "second_mode_ns", "second_mode_share"))
        return {"x": size, **times, **unknown, "samples": 1, "warm_up": 0, "operations": 1, "reached": True}

    times = {
        "experiment": "pingpong", "series": "ping-pong", "pair": 0, "rank": None, "axis": {"name": "message size", "unit": "B"},
        "moved": 1, "points": [point(1 << power) for power in range(24)],
    }  # fmt: skip
    profile = {
        "format": 1, "mpiscope": "", "started_s": 0, "ended_s": 0, "complete": True, "problems": [],
        "mpi": {"version": "", "path": "", "ranks": 2},
        "settings": {"experiments": ["pingpong"], "budget_s": 0, "max_bytes": 1 << 23, "seed": 0, "variables": {}},
        "hosts": hosts, "ranks": [{"rank": rank, "host": "ab"[rank], "cpus": "0"} for rank in range(2)],
        "pairs": [{"class": "other-node", "ranks": [0, 1]}], "parameters": [], "curves": [times],
    }  # fmt: skip
    path.mkdir()
    (path / "machine.json").write_text(json.dumps(profile))
    return path
