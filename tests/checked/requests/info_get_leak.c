/* The info that MPI_Comm_get_info gives is never freed.
 *
 * ranks: 2
 * expect: leak.info
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Info info;
    int keys;
    MPI_Comm_get_info(WORLD, &info); /* WRONG */
    MPI_Info_get_nkeys(info, &keys);
#ifdef RIGHT
    MPI_Info_free(&info);
#endif
}
