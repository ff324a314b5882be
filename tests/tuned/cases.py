"""The cases of `make tuned`: a program of tuned.c, settings that harm it, and what must be found."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """A program with known best settings, or with none."""

    name: str
    mpi: str
    program: str
    steps: int
    ranks: int = 2
    # What harms: variables, and options of the launcher.
    environment: dict = field(default_factory=dict)
    launcher: str = ""
    # Texts of which one must be in a setting of the best set; none: no gain may be claimed.
    best: tuple = ()
    # The part of the time that it saves at least.
    least_gain: float = 0.05


PLANTED = (
    Case("tiny eager limit", "openmpi", "small_messages", 600, environment={"OMPI_MCA_btl_vader_eager_limit": "128"},
         best=("eager_limit",)),
    Case("bad broadcast as default", "openmpi", "broadcast", 100, ranks=4,
         environment={"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_bcast_algorithm": "3",
                      "OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize": "128"},
         best=("bcast",)),
    Case("no yielding, 8 ranks on 2 cores", "openmpi", "ping_pong", 2000, ranks=8,
         launcher="mpirun.openmpi --host localhost:8", environment={"OMPI_MCA_mpi_yield_when_idle": "0"},
         best=("yield",)),
    Case("all ranks on one core", "openmpi", "computing", 130,
         environment={"OMPI_MCA_hwloc_base_cpu_list": "0", "OMPI_MCA_rmaps_base_oversubscribe": "1"},
         best=("cpu_list", "bind-to none")),
    Case("messages of a host over TCP", "openmpi", "large_messages", 200, environment={"OMPI_MCA_btl": "tcp,self"},
         best=("OMPI_MCA_btl",)),
    Case("messages of a host over TCP", "mpich", "large_messages", 120, environment={"UCX_TLS": "tcp,self"},
         best=("UCX_TLS",)),
    Case("rendezvous for everything", "mpich", "late_receiver", 150, environment={"UCX_RNDV_THRESH": "0"},
         best=("UCX_RNDV_THRESH",)),
    Case("progress threads without cores", "mpich", "ping_pong", 60000,
         environment={"MPIR_CVAR_ASYNC_PROGRESS": "1"}, best=("ASYNC_PROGRESS", "libmpiscope_yield")),
    Case("all ranks on one core", "mpich", "computing", 80, environment={"HYDRA_BINDING": "user:0,0"},
         best=("HYDRA_BINDING", "bind-to")),
    Case("memory returned in each step", "mpich", "allocating", 150,
         environment={"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}, best=("MALLOC_",)),
    Case("polling, 4 ranks on 2 cores", "mpich", "ping_pong", 300, ranks=4, best=("yield",)),
)

# No setting that tune tries makes these faster.
WITHOUT_GAIN = (
    Case("sleeping", "openmpi", "sleeping", 100),
    Case("computing", "openmpi", "computing", 60),
    Case("imbalance", "openmpi", "imbalance", 100),
    Case("ping-pong", "openmpi", "ping_pong", 20000),
    Case("sum of all", "openmpi", "sum_of_all", 60),
    Case("sleeping", "mpich", "sleeping", 100),
    Case("computing", "mpich", "computing", 60),
    Case("imbalance", "mpich", "imbalance", 100),
    Case("ping-pong", "mpich", "ping_pong", 20000),
    Case("settings without an effect", "openmpi", "sleeping", 100,
         environment={"OMPI_MCA_btl_tcp_eager_limit": "1024", "OMPI_MCA_btl_tcp_sndbuf": "4096"}),
)
