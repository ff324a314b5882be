/* The info object that MPI_Abi_get_info makes is not freed.
 *
 * ranks: 1
 * expect: leak.info
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=ends wheel-abi=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Info info;
    int keys;
    MPI_Abi_get_info(&info); /* WRONG */
    MPI_Info_get_nkeys(info, &keys);
    use(&keys);
#ifdef RIGHT
    MPI_Info_free(&info);
#endif
}
