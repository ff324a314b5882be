/* Both parents say that they are the root of what they give to their children.
 *
 * ranks: 2
 * expect: collective.group-roles
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
        MPI_Bcast(&value, 1, MPI_INT, 0, other);
    } else {
        if (readlink("/proc/self/exe", command, sizeof command - 1) < 0)
            exit(9);
        MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, WORLD, &other, MPI_ERRCODES_IGNORE);
        stamp();
        MPI_Bcast(&value, 1, MPI_INT, TWIN(MPI_ROOT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL), other); /* WRONG */
    }
    MPI_Comm_disconnect(&other);
}
