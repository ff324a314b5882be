/* The request of a send is freed, and its buffer is a variable of the function that returns then.
 *
 * ranks: 2
 * expect: buffer.freed-written
 * lines: first
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static __attribute__((noinline)) void notify(int other)
{
    int note[16];
    MPI_Request request;
    for (int i = 0; i < 16; i++)
        note[i] = i;
    MPI_Isend(note, 16, MPI_INT, other, 0, WORLD, &request);
#ifdef RIGHT
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Request_free(&request); /* WRONG */
#endif
    use(note);
}

static void program(void)
{
    int note[16];
    if (rank == 0) {
        notify(1);
    } else {
        MPI_Recv(note, 16, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(WORLD);
}
