/* In a communicator of parents and children nobody receives a message.
 *
 * ranks: 1
 * expect: message.lost
 * allow: deadlock.buffering
 * mpi: openmpi
 * bare: openmpi=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other, merged;
    int value = rank;
    char command[4096] = "";
    MPI_Comm_get_parent(&other);
    int is_child = other != MPI_COMM_NULL;
    if (!is_child) {
        if (readlink("/proc/self/exe", command, sizeof command - 1) < 0)
            exit(9);
        MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, WORLD, &other, MPI_ERRCODES_IGNORE);
    }
    MPI_Intercomm_merge(other, is_child, &merged);
    if (is_child)
        MPI_Send(&value, 1, MPI_INT, 0, 7, merged); /* WRONG */
#ifdef RIGHT
    else
        MPI_Recv(&value, 1, MPI_INT, 1, 7, merged, MPI_STATUS_IGNORE);
#endif
    MPI_Barrier(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&other);
}
