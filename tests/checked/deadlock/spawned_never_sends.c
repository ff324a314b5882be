/* A process waits for a message of one that it has spawned, which does not send it.
 *
 * ranks: 2
 * expect: deadlock.cycle | deadlock.collective | deadlock.ended
 * mpi: openmpi wheel-mpich
 * bare: openmpi=hangs wheel-mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other;
    int value = rank;
    char command[4096] = "";
    MPI_Comm_get_parent(&other);
    if (other != MPI_COMM_NULL) {
#ifdef RIGHT
        if (rank == 1)
            MPI_Send(&value, 1, MPI_INT, 0, 7, other);
#endif
    } else {
        if (readlink("/proc/self/exe", command, sizeof command - 1) < 0)
            exit(9);
        MPI_Comm_spawn(command, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, WORLD, &other, MPI_ERRCODES_IGNORE);
        stamp();
        if (rank == 0)
            MPI_Recv(&value, 1, MPI_INT, 1, 7, other, MPI_STATUS_IGNORE); /* WRONG */
    }
    MPI_Comm_disconnect(&other);
}
