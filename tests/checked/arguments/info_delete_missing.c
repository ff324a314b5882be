/* A key is deleted that is not there.
 *
 * ranks: 1
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "first", "1");
    MPI_Info_delete(info, TWIN("second", "first")); /* WRONG */
    MPI_Info_free(&info);
}
