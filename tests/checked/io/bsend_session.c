/* A message that is larger than the buffer of the process; a buffer of its session, which would do, was detached before.
 *
 * ranks: 2
 * expect: buffered-send.buffer
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=aborts wheel-abi=aborts
 */
#include "../checked.h"

static void program(void)
{
    int values[1000] = {rank}, little = 1000 + MPI_BSEND_OVERHEAD, room = sizeof values + MPI_BSEND_OVERHEAD;
    void *own = malloc(little), *buffer = malloc(room);
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_attach_buffer(session, buffer, room);
    MPI_Session_detach_buffer(session, &buffer, &room);
    MPI_Session_finalize(&session);
    MPI_Buffer_attach(TWIN(own, buffer), TWIN(little, room));
    if (rank == 0)
        MPI_Bsend(values, 1000, MPI_INT, 1, 0, WORLD); /* WRONG */
    else
        MPI_Recv(values, 1000, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&own, &room);
}
