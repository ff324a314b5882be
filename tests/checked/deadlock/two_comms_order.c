/* Collective operations on two communicators of the same ranks in different order.
 *
 * ranks: 2
 * expect: deadlock.collective | deadlock.cycle
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm other;
    int value = rank, sum;
    MPI_Comm_dup(WORLD, &other);
    if (rank == 0) {
        MPI_Barrier(WORLD); /* WRONG */
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, other);
    } else {
#ifdef RIGHT
        MPI_Barrier(WORLD);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, other);
#else
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, other); /* WRONG */
        MPI_Barrier(WORLD);
#endif
    }
    MPI_Comm_free(&other);
}
