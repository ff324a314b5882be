/* MPI_ANY_SOURCE as the root of a scatter.
 *
 * ranks: 2
 * expect: argument.root
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int all[2] = {1, 2}, mine;
    MPI_Scatter(all, 1, MPI_INT, &mine, 1, MPI_INT, TWIN(MPI_ANY_SOURCE, 0), WORLD); /* WRONG */
}
