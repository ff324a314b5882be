/* Whether a rank sends once more stands in its message; the wrong program takes the second one of rank 2 whatever it has read.
 *
 * ranks: 3
 * expect: race.deadlock
 * allow-both: race.receive
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int more = rank == 2;
    if (rank == 0) {
        for (int open = TWIN(1, 2); open > 0; open--) {
            MPI_Recv(&more, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
            if (TWIN(1, more))
                MPI_Recv(&more, 1, MPI_INT, 2, 1, WORLD, MPI_STATUS_IGNORE);
        }
#ifndef RIGHT
        MPI_Recv(&more, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE); /* WRONG */
#endif
    } else {
        if (rank == 1)
            pause_ms(200);
        MPI_Send(&more, 1, MPI_INT, 0, 0, WORLD);
        if (more)
            MPI_Send(&more, 1, MPI_INT, 0, 1, WORLD);
    }
}
