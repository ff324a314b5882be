/* A call to which a place for a name is passed that is none: the process ends in it.
 *
 * ranks: 2
 * expect: error.ended
 * bare: openmpi=crashes mpich=crashes
 */
#include "../checked.h"

static void program(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    use(name);
    if (rank == 1)
        MPI_Comm_get_name(WORLD, TWIN((char *)8, name), &length); /* WRONG */
    MPI_Barrier(WORLD);
}
