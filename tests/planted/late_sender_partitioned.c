/* late_sender_partitioned: a partitioned receive waits for the partition that is ready last.
 *
 * Rank 0 fills and readies partitions; when it is late, the last one comes after a delay. MPI 4 is needed.
 *
 * case: name=pready ranks=2 mpi=mpich
 * args: --late 0
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Wait seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender saves=measured
 * case: name=twin ranks=2 mpi=mpich
 * args: --twin
 * expect: none
 */
#include "skeleton.h"

#if MPI_VERSION < 4
#error "partitioned communication needs MPI 4"
#endif

enum { PARTITIONS = 4 };
static char *buffer;
static MPI_Request request;

static void setup(void)
{
    buffer = zeroed(planted.bytes * PARTITIONS);
    if (rank == 0)
        MPI_Psend_init(buffer, PARTITIONS, planted.bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(buffer, PARTITIONS, planted.bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}

static void step(int i)
{
    if (rank == 0) {
        STAMP(MPI_Start(&request), (void)0);
        for (int p = 0; p + 1 < PARTITIONS; p++)
            STAMP(MPI_Pready(p, request), (void)0);
        work(i);
        /* A message is complete with its last partition: it is late by that. */
        STAMP(MPI_Pready(PARTITIONS - 1, request), SEND(1, 1));
        STAMP(MPI_Wait(&request, MPI_STATUS_IGNORE), (void)0);
    } else {
        STAMP(MPI_Start(&request), POST(1, 0));
        work(i);
        STAMP(MPI_Wait(&request, MPI_STATUS_IGNORE), ARRIVAL(1, 0));
    }
    result += buffer[0];
}

static void finish(void)
{
    MPI_Request_free(&request);
    free(buffer);
}
