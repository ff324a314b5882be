/* The neighbour of a number that is being received is used: its right twin loads both at once, and drops one.
 *
 * ranks: 2
 * expect: buffer.receive-read
 * lines: first
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

struct cell {
    double x, y;
} __attribute__((aligned(16)));

/* As vectors of a loop over all x are loaded. */
static double x_of(const struct cell *cell)
{
    double x;
#ifdef __x86_64__
    __asm__ volatile("movapd %1, %0" : "=x"(x) : "m"(*cell));
#else
    x = cell->x;
#endif
    return x;
}

static void program(void)
{
    struct cell cells[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    double sum = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(&cells[2].y, 1, MPI_DOUBLE, 1, 0, WORLD, &request);
        MPI_Barrier(WORLD);
        use(cells);
        for (int i = 0; i < 4; i++)
            sum += x_of(&cells[i]);
#ifndef RIGHT
        sum += cells[2].y; /* WRONG */
#endif
        use(&sum);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(WORLD);
        MPI_Send(&cells[0].y, 1, MPI_DOUBLE, 0, 0, WORLD);
    }
}
