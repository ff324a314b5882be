/* An info is never freed.
 *
 * ranks: 2
 * expect: leak.info
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Info info;
    MPI_Comm other;
    MPI_Info_create(&info); /* WRONG */
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(WORLD, info, &other);
    MPI_Comm_free(&other);
#ifdef RIGHT
    MPI_Info_free(&info);
#endif
}
