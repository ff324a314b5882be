/* MPI_Comm_create_group without one of the group's members, which waits for a message.
 *
 * ranks: 3
 * expect: deadlock.cycle | deadlock.collective
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group all;
    MPI_Comm other;
    int value = rank;
    MPI_Comm_group(WORLD, &all);
    if (rank == TWIN(2, -1))
        MPI_Recv(&value, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Comm_create_group(WORLD, all, 0, &other); /* WRONG */
#ifndef RIGHT
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 2, 1, WORLD);
#endif
    MPI_Comm_free(&other);
    MPI_Group_free(&all);
}
