/* The root allocated room for one rank only.
 *
 * ranks: 2
 * expect: argument.buffer-short
 * not: wheel-mpich wheel-abi
 * bare: openmpi=crashes mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    int mine[64] = {rank};
    int *all = malloc(TWIN(64, 64 * size) * sizeof(int));
    MPI_Gather(mine, 64, MPI_INT, all, 64, MPI_INT, 0, WORLD); /* WRONG */
    /* Whatever lay behind is damaged: it is not looked at again. */
#ifdef RIGHT
    free(all);
#endif
}
