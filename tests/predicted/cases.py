"""The cases of `make predicted`: a program, a change, and how the change is asked for."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """A program of predicted.c, before and after a change."""

    name: str
    # What `mpiscope predict --what-if` is asked.
    what_if: str
    ranks: tuple = (2, 4)
    steps: int = 150
    # Variables of the run after the change, by MPI; where a change is a variable, the program stays the same.
    variables: dict = field(default_factory=dict)
    # Latency, s, and bandwidth, B/s, of the network between two hosts, before and after the change; none: one host.
    links: tuple = ()
    # The host of each rank after the change, by number; none: ranks fill one host after the other, as before it.
    order: tuple = ()
    # Whether `mpiscope predict` without a question lists this change first.
    is_first: bool = False

    def mpis(self):
        # Debian's MPICH does not reach other hosts of namespaces.
        return ("openmpi",) if self.links else tuple(self.variables) or ("openmpi", "mpich")


# Orders of four ranks on two hosts.
BY_NODE, FOLDED = (0, 1, 0, 1), (0, 1, 1, 0)
# 1 ms and 100 Mbit/s.
SLOW = (0.001, 12.5e6)

CASES = (
    Case("imbalance", "balance=perfect", is_first=True),
    Case("gradient", "balance=perfect", is_first=True),
    Case("slow_rank", "rank:0=2x faster"),
    Case("moving_barrier", "MPI_Barrier=none", is_first=True),
    Case("useless_barrier", "MPI_Barrier=none"),
    Case("norm_each_step", "MPI_Allreduce=none"),
    Case("staircase", "MPI_Send=nonblocking, MPI_Recv=nonblocking", ranks=(4,), links=(SLOW, SLOW), steps=20),
    Case("eager", "eager=64K", variables={"mpich": {"UCX_RNDV_THRESH": "262144"}}, ranks=(2,)),
    Case("late_root", "rank:0=2.5x faster"),
    Case("chain", "rank:1=3x faster"),
    Case("alternating", "balance=perfect"),
    Case("short_steps", "balance=perfect", ranks=(2,), is_first=True),
    Case("wrong_rank", "rank:0=2x faster"),
    Case("one_part", "site:first_part=2x faster"),
    Case("both_causes", "MPI_Barrier=none"),
    Case("small_exchange", "latency=0.5x", ranks=(2,), links=(SLOW, (0.0005, 12.5e6)), steps=100),
    Case("large_exchange", "bandwidth=2x", ranks=(2,), links=(SLOW, (0.001, 25e6)), steps=30),
    Case("ordered_exchange", "MPI_Send=nonblocking, MPI_Recv=nonblocking", ranks=(2,), links=(SLOW, SLOW), steps=30),
    Case("imbalance", "balance=perfect", links=(SLOW, SLOW)),
    Case("gradient", "balance=perfect", links=(SLOW, SLOW)),
    Case("moving_barrier", "MPI_Barrier=none", links=(SLOW, SLOW)),
    Case("chain", "rank:1=3x faster", links=(SLOW, SLOW)),
    Case("many_small", "site:many_small=aggregated", ranks=(2,), links=(SLOW, SLOW), is_first=True),
    Case("handshakes", "MPI_Ssend=aggregated", ranks=(2,), links=(SLOW, SLOW), steps=30),
    Case("numbers", "MPI_Allreduce=aggregated", ranks=(2,), is_first=True),
    Case("late_first", "MPI_Ssend=reordered", ranks=(4,)),
    Case("one_by_one", "MPI_Wait=merged", ranks=(2,)),
    Case("all_at_once", "MPI_Waitall=split", ranks=(2,)),
    Case("sometimes_late", "rank:0=on time"),
    Case("barrier_over_hosts", "MPI_Barrier=hierarchical", ranks=(4,), links=(SLOW, SLOW)),
    Case(
        "barrier_over_hosts", "MPI_Barrier=hierarchical", ranks=(4,), links=(SLOW, SLOW),
        variables={"openmpi": {"OMPI_MCA_coll_han_priority": "100"}},
    ),
    Case("late_neighbour", "rank:0=2x faster"),
    Case("late_source", "rank:0=2x faster"),
    Case("late_post", "rank:0=2x faster"),
    Case("probed", "rank:0=2x faster", ranks=(2,)),
    Case("neighbours_in_turn", "MPI_Sendrecv=neighbourhood", ranks=(4,), links=(SLOW, SLOW), is_first=True),
    Case("far_partner", "placement=best", ranks=(4,), links=(SLOW, SLOW), steps=60, order=BY_NODE, is_first=True),
    Case("far_partner_large", "placement=by-node", ranks=(4,), links=(SLOW, SLOW), steps=15, order=BY_NODE),
    Case("near_partner", "placement=by-node", ranks=(4,), links=(SLOW, SLOW), steps=60, order=BY_NODE),
    Case("opposite_partner", "placement=folded", ranks=(4,), links=(SLOW, SLOW), steps=60, order=FOLDED),
)
