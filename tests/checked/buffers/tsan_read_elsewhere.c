/* A function reads a member of a structure that is being received.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

struct particle {
    double place[3];
    long number;
};

static struct particle particles[40];

static __attribute__((noinline)) double height(const struct particle *one)
{
    return one->place[2]; /* WRONG */
}

static void program(void)
{
    MPI_Request request;
    double sum = 0;
    if (rank == 1) {
        MPI_Irecv(particles, sizeof particles, MPI_BYTE, 0, 0, WORLD, &request);
#ifndef RIGHT
        sum = height(&particles[11]);
#endif
        MPI_Barrier(WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum += height(&particles[11]);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(particles, sizeof particles, MPI_BYTE, 1, 0, WORLD);
    }
    use(&sum);
}
