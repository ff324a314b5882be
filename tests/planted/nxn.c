/* nxn: early ranks wait in a collective in which everybody needs something of everybody.
 *
 * Variant neighbour: a periodic ring; the two neighbours of the late rank wait for it, and the rank
 * opposite for them, who come late themselves. Variant inter: one rank on each side of an
 * intercommunicator. Variant split: halves with a communicator each. completion_twin has large
 * messages: time in them is not waiting.
 *
 * case: name=allreduce ranks=2 quick
 * args: --variant allreduce --late 1
 * expect: finding=wait_at_nxn ranks=0 cause=1 function=MPI_Allreduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=allreduce_two_late ranks=4
 * args: --variant allreduce --late 1,3 --delay-us 8000 --count 30
 * expect: finding=wait_at_nxn ranks=0,2 cause=1,3 function=MPI_Allreduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=alltoall ranks=2
 * args: --variant alltoall --late 0
 * expect: finding=wait_at_nxn ranks=1 cause=0 function=MPI_Alltoall seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=alltoallv ranks=2
 * args: --variant alltoallv --late 1
 * expect: finding=wait_at_nxn ranks=0 cause=1 function=MPI_Alltoallv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=allgather ranks=2
 * args: --variant allgather --late 0
 * expect: finding=wait_at_nxn ranks=1 cause=0 function=MPI_Allgather seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=reduce_scatter ranks=2
 * args: --variant reduce_scatter --late 0
 * expect: finding=wait_at_nxn ranks=1 cause=0 function=MPI_Reduce_scatter seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=iallreduce ranks=2
 * args: --variant iallreduce --late 1
 * expect: finding=wait_at_nxn ranks=0 cause=1 function=MPI_Wait seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=neighbour ranks=4
 * args: --variant neighbour --late 1 --delay-us 8000 --count 30
 * expect: finding=wait_at_nxn ranks=0,2,3 function=MPI_Neighbor_alltoall seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=graph ranks=4 mpi=mpich
 * args: --variant graph --late 1 --delay-us 8000 --count 30
 * expect: finding=wait_at_nxn ranks=0,2,3 function=MPI_Neighbor_alltoall seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=split ranks=4
 * args: --variant split --late 3 --delay-us 8000 --count 30
 * expect: finding=wait_at_nxn ranks=2 cause=3 function=MPI_Allreduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=inter ranks=2
 * args: --variant inter --late 1
 * expect: finding=wait_at_nxn ranks=0 cause=1 function=MPI_Allreduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=allreduce_severe ranks=2
 * args: --variant allreduce --late 1 --delay-us 30000 --count 15
 * expect: finding=wait_at_nxn ranks=0 cause=1 function=MPI_Allreduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=split_8 ranks=8 mpi=openmpi
 * args: --variant split --late 3 --delay-us 16000 --count 30
 * expect: finding=wait_at_nxn ranks=0,1,2 cause=3 function=MPI_Allreduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_nxn saves=measured
 * case: name=split_8_twin ranks=8 mpi=openmpi
 * args: --variant split --twin --delay-us 16000 --count 30
 * expect: none
 * case: name=allreduce_twin ranks=2 quick
 * args: --variant allreduce --twin
 * expect: none
 * case: name=allreduce_4_twin ranks=4
 * args: --variant allreduce --twin --delay-us 8000 --count 30
 * expect: none
 * case: name=alltoallv_twin ranks=2
 * args: --variant alltoallv --twin
 * expect: none
 * case: name=iallreduce_twin ranks=2
 * args: --variant iallreduce --twin
 * expect: none
 * case: name=neighbour_twin ranks=4
 * args: --variant neighbour --twin --delay-us 8000 --count 30
 * expect: none
 * case: name=graph_twin ranks=4
 * args: --variant graph --twin --delay-us 8000 --count 30
 * expect: none
 * case: name=inter_twin ranks=2
 * args: --variant inter --twin
 * expect: none
 * case: name=completion_twin ranks=2
 * args: --variant allreduce --twin --bytes 2097152 --delay-us 20000 --count 20
 * expect: none
 */
#include "skeleton.h"

static MPI_Comm comm = MPI_COMM_WORLD;
static int number, n;
static double *out, *in;
static int *counts, *displacements;

static void setup(void)
{
    n = (int)(planted.bytes / sizeof(double));
    int most = size > 2 ? size : 2;
    out = zeroed(planted.bytes * most);
    in = zeroed(planted.bytes * most);
    counts = series(n, 0);
    displacements = series(0, n);
    if (variant_is("split")) {
        int half = rank >= size / 2;
        MPI_Comm_split(MPI_COMM_WORLD, half, rank, &comm);
        number = 1 + half;
    } else if (variant_is("inter")) {
        MPI_Comm mine;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &mine);
        MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &comm);
        MPI_Comm_free(&mine);
        number = 1;
    } else if (variant_is("neighbour")) {
        int periodic = 1;
        MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &comm);
        number = 1;
    } else if (variant_is("graph")) {
        int lower = (rank + size - 1) % size, upper = (rank + 1) % size;
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &lower, MPI_UNWEIGHTED, 1, &upper, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                       &comm);
        number = 1;
    }
}

static void step(int i)
{
    MPI_Request r;
    int lower = (rank + size - 1) % size, upper = (rank + 1) % size;
    work(i);
    if (variant_is("allreduce") || variant_is("split") || variant_is("inter"))
        STAMP(MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, comm), NXN(number));
    else if (variant_is("alltoall"))
        STAMP(MPI_Alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, comm), NXN(number));
    else if (variant_is("alltoallv"))
        STAMP(MPI_Alltoallv(out, counts, displacements, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, comm),
              NXN(number));
    else if (variant_is("allgather"))
        STAMP(MPI_Allgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, comm), NXN(number));
    else if (variant_is("reduce_scatter"))
        STAMP(MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, comm), NXN(number));
    else if (variant_is("neighbour"))
        STAMP(MPI_Neighbor_alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, comm), ENTRY(number),
              NEAR(number, lower), NEAR(number, upper));
    else if (variant_is("graph"))
        STAMP(MPI_Neighbor_alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, comm), ENTRY(number), NEAR(number, lower));
    else if (variant_is("iallreduce")) {
        STAMP(MPI_Iallreduce(out, in, n, MPI_DOUBLE, MPI_SUM, comm, &r), ENTRY(number));
        STAMP(MPI_Wait(&r, MPI_STATUS_IGNORE), ALL(number));
    } else {
        unknown_variant();
    }
    result += in[0];
}

static void finish(void)
{
    if (number)
        MPI_Comm_free(&comm);
    free(out);
    free(in);
    free(counts);
    free(displacements);
}
