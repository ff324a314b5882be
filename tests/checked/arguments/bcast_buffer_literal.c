/* A broadcast into a string literal on the ranks that receive.
 *
 * ranks: 2
 * expect: argument.buffer-inaccessible
 * bare: openmpi=crashes mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    char room[16] = "hello";
    char *text = TWIN((char *)"nothing", room);
    if (rank == 0)
        text = room;
    MPI_Bcast(text, 6, MPI_CHAR, 0, WORLD); /* WRONG */
}
