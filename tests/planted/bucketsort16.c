/* bucketsort16: examples/bucketsort.c with stamps, uneven arrivals and a slow warm-up.
 *
 * Each iteration is an allreduce, an alltoall and an alltoallv. Ranks come to the allreduce up to
 * 30 ms apart, always in the same order, and leave it together: early ones have waited. The two calls after it
 * find the ranks together. In the first iteration the alltoallv is 80 ms late everywhere. The twin has
 * neither.
 *
 * case: name=skewed ranks=16 mpi=openmpi
 * args: --keys 16384 --delay-us 30000
 * expect: finding=wait_at_nxn function=MPI_Allreduce seconds=planted tolerance=5%
 * expect: finding=warm_up
 * allow: load_imbalance outlier serialisation_chain
 * fact: iterations count=11 warm_up=1
 * case: name=twin ranks=16 mpi=openmpi
 * args: --keys 16384 --delay-us 30000 --twin
 * expect: none
 * allow: warm_up load_imbalance
 */
#include "planted.h"

#include <mpi.h>

static int planted_rank;

static void ready(void)
{
    int size;
    MPI_Comm_rank(MPI_COMM_WORLD, &planted_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    planted_ready(planted_rank, size);
}

/* The allreduce of a whole histogram begins an iteration; those of single numbers check the result. */
static void before_allreduce(int count)
{
    if (count == 1)
        return;
    planted_work(10000);
    if (planted.twin)
        planted_work(planted.delay_us * 3); /* so long that it makes no difference who was served first */
    else
        planted_delay(planted.delay_us * (planted_rank * 7 % 16) / 15);
}

static void before_alltoallv(void)
{
    static int iterations;
    if (iterations++ == 0 && !planted.twin)
        planted_delay(80000);
}

/* A macro is not expanded inside itself: what is called below are MPI's functions, at the example's lines. */
#define MPI_Init(argc, argv) (planted_start(), MPI_Init(argc, argv), ready())
#define MPI_Finalize() (planted_end(), MPI_Finalize())
#define MPI_Allreduce(out, in, count, type, op, comm) \
    (before_allreduce(count), STAMPED("MPI_Allreduce", MPI_Allreduce(out, in, count, type, op, comm), NXN(0)))
#define MPI_Alltoall(...) STAMPED("MPI_Alltoall", MPI_Alltoall(__VA_ARGS__), NXN(0))
#define MPI_Alltoallv(...) (before_alltoallv(), STAMPED("MPI_Alltoallv", MPI_Alltoallv(__VA_ARGS__), NXN(0)))
#define MPI_Barrier(comm) STAMPED("MPI_Barrier", MPI_Barrier(comm), BARRIER(0))
#define MPI_Reduce(...) STAMPED("MPI_Reduce", MPI_Reduce(__VA_ARGS__), TO_ROOT(0, planted_rank, 0))
#define MPI_Exscan(...) STAMPED("MPI_Exscan", MPI_Exscan(__VA_ARGS__), SCAN(0))
#define MPI_Recv(buffer, count, type, from, tag, comm, status) \
    STAMPED("MPI_Recv", MPI_Recv(buffer, count, type, from, tag, comm, status), RECV(tag, from))
#define MPI_Send(buffer, count, type, to, tag, comm) \
    STAMPED("MPI_Send", MPI_Send(buffer, count, type, to, tag, comm), SEND(tag, to))
#define STAMPED(function, call, parts) (planted_enter(function, __FILE__, __LINE__), call, planted_leave(), parts)

#include "../../examples/bucketsort.c"
