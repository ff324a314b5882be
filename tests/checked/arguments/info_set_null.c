/* An entry for MPI_INFO_NULL.
 *
 * ranks: 1
 * expect: argument.info
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Info info = MPI_INFO_NULL;
#ifdef RIGHT
    MPI_Info_create(&info);
#endif
    MPI_Info_set(info, "no_locks", "true"); /* WRONG */
#ifdef RIGHT
    MPI_Info_free(&info);
#endif
}
