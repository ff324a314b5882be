/* The root has no counts.
 *
 * ranks: 2
 * expect: argument.null-pointer
 * bare: openmpi=aborts mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, all[2], counts[2] = {1, 1}, places[2] = {0, 1};
    int *list = rank == 0 ? TWIN(NULL, counts) : NULL;
    MPI_Gatherv(&mine, 1, MPI_INT, all, list, places, MPI_INT, 0, WORLD); /* WRONG */
    use(counts);
}
