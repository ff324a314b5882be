/* Two processes of one group of an intercommunicator pass MPI_ROOT.
 *
 * ranks: 3
 * expect: collective.group-roles
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm group, both;
    int value = rank, sum = 0, root = rank == 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
#ifndef RIGHT
    if (rank == 1)
        root = MPI_ROOT;
#endif
    MPI_Comm_split(WORLD, rank == 2, 0, &group);
    MPI_Intercomm_create(group, 0, WORLD, rank == 2 ? 0 : 2, 3, &both);
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, both); /* WRONG */
    MPI_Comm_free(&both);
    MPI_Comm_free(&group);
}
