/* An atomic number is loaded that is being received.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#include <mpi.h>

static long counts[8];

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    volatile long got = 0;
    __atomic_fetch_add(&counts[2], rank, __ATOMIC_RELAXED);
    if (rank == 1) {
        MPI_Irecv(counts, 8, MPI_LONG, 0, 0, MPI_COMM_WORLD, &request);
#ifndef RIGHT
        got = __atomic_load_n(&counts[2], __ATOMIC_ACQUIRE); /* WRONG */
#endif
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        got = got + __atomic_load_n(&counts[2], __ATOMIC_SEQ_CST);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(counts, 8, MPI_LONG, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
