/* Rows and columns of a grid are synchronised in a different order by one rank.
 *
 * ranks: 4
 * expect: deadlock.collective | deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm row, column;
    MPI_Comm_split(WORLD, rank / 2, rank, &row);
    MPI_Comm_split(WORLD, rank % 2, rank, &column);
    /* 0 waits for 1 in its row, 1 for 3 in its column, 3 for 2 in its row, 2 for 0 in its column. */
    if (TWIN(rank == 0 || rank == 3, 1)) {
        MPI_Barrier(row); /* WRONG */
        MPI_Barrier(column);
    } else {
        MPI_Barrier(column); /* WRONG */
        MPI_Barrier(row);
    }
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
}
