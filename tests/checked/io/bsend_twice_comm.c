/* Two buffers for one communicator.
 *
 * ranks: 1
 * expect: buffered-send.buffer
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=aborts wheel-abi=aborts
 */
#include "../checked.h"

static void program(void)
{
    int room = 1000 + MPI_BSEND_OVERHEAD;
    void *one = malloc(room), *other = malloc(room);
    MPI_Comm_attach_buffer(WORLD, one, room);
    MPI_Comm_attach_buffer(TWIN(WORLD, MPI_COMM_SELF), other, room); /* WRONG */
    MPI_Comm_detach_buffer(WORLD, &one, &room);
#ifdef RIGHT
    MPI_Comm_detach_buffer(MPI_COMM_SELF, &other, &room);
#endif
    free(one);
    free(other);
}
