/* A process and one that it has spawned do not agree about the datatype of their message.
 *
 * ranks: 1
 * expect: message.datatype
 * allow: argument.variable-type
 * lines: all
 * mpi: openmpi wheel-mpich
 * bare: openmpi=ends wheel-mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other;
    int value = rank;
    char command[4096] = "";
    MPI_Comm_get_parent(&other);
    if (other != MPI_COMM_NULL) {
        MPI_Recv(&value, 1, TWIN(MPI_FLOAT, MPI_INT), 0, 7, other, MPI_STATUS_IGNORE); /* WRONG */
    } else {
        if (readlink("/proc/self/exe", command, sizeof command - 1) < 0)
            exit(9);
        MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, WORLD, &other, MPI_ERRCODES_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 0, 7, other); /* WRONG */
    }
    MPI_Comm_disconnect(&other);
}
