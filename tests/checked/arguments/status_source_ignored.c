/* A source is put into MPI_STATUS_IGNORE.
 *
 * ranks: 1
 * expect: argument.null-pointer
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=crashes wheel-abi=crashes
 */
#include "../checked.h"

static void program(void)
{
    MPI_Status status;
    MPI_Status_set_source(TWIN(MPI_STATUS_IGNORE, &status), 0); /* WRONG */
    MPI_Status_set_tag(&status, 7);
    use(&status);
}
