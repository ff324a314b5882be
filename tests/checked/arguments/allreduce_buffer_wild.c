/* A reduction into an address that is no memory.
 *
 * ranks: 2
 * expect: argument.buffer-inaccessible
 * bare: openmpi=crashes mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    int mine[4] = {rank}, room[4];
    /* An offset where a pointer was meant. */
    int *sum = TWIN((int *)0x400, room);
    MPI_Allreduce(mine, sum, 4, MPI_INT, MPI_SUM, WORLD); /* WRONG */
    use(room);
}
