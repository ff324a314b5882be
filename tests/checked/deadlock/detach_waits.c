/* A buffer is detached before the other side can receive what is in it.
 *
 * ranks: 2
 * expect: deadlock.cycle
 * lines: all
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

#define N (1 << 20)

static void program(void)
{
    static int values[N];
    int room = sizeof values + MPI_BSEND_OVERHEAD, go = 1;
    void *buffer = malloc(room);
    if (rank == 0) {
        MPI_Buffer_attach(buffer, room);
        MPI_Bsend(values, N, MPI_INT, 1, 0, WORLD);
#ifdef RIGHT
        MPI_Send(&go, 1, MPI_INT, 1, 1, WORLD);
        MPI_Buffer_detach(&buffer, &room);
#else
        MPI_Buffer_detach(&buffer, &room); /* WRONG */
        MPI_Send(&go, 1, MPI_INT, 1, 1, WORLD);
#endif
    } else {
        MPI_Recv(&go, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(values, N, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
    free(buffer);
}
