/* The root of a gather has no receive buffer; the others need none.
 *
 * ranks: 2
 * expect: argument.buffer-null
 * bare: openmpi=crashes mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int mine = rank, all[2];
    MPI_Gather(&mine, 1, MPI_INT, rank == 0 ? TWIN(NULL, all) : NULL, 1, MPI_INT, 0, WORLD); /* WRONG */
    use(all);
}
