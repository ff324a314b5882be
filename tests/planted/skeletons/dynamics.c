/* dynamics: molecular dynamics: positions go to neighbours axis by axis; a flag says when lists of neighbours are made
 * anew, which takes the place of the exchange; energies in every 20th step. A fourth argument N rebuilds the lists in every
 * N-th step, without a flag; on two ranks each step then makes every call twice.
 *
 * case: name=twelve ranks=12 mpi=openmpi
 * args: 3 2 2
 * fact: iterations count=120
 * fact: grid dims=3x2x2
 * fact: pattern=halo
 * case: name=four ranks=4
 * args: 1 2 2
 * fact: iterations count=120
 * case: name=pair ranks=2
 * args: 1 1 2 20
 * fact: iterations count=120
 */
#include "skeletons.h"

static int dims[3];

/* A macro, so that calls are those of the function that makes the exchange. */
#define SWAP(tag, doubles)                                                                                          \
    for (int a = 0; a < 3; a++)                                                                                      \
        for (int by = -1; by <= 1 && dims[a] > 1; by += 2) {                                                         \
            MPI_Irecv(in[0], doubles, MPI_DOUBLE, along(3, dims, 1, a, -by), tag, MPI_COMM_WORLD, &requests[0]);     \
            MPI_Send(out[0], doubles, MPI_DOUBLE, along(3, dims, 1, a, by), tag, MPI_COMM_WORLD);                    \
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);                                                               \
        }

__attribute__((noinline)) static void forward(void)
{
    SWAP(1, 30);
}

__attribute__((noinline)) static void reverse(void)
{
    SWAP(2, 30);
}

__attribute__((noinline)) static void rebuild(void)
{
    SWAP(3, 10);
    SWAP(4, 60);
}

static void program(int argc, char **argv)
{
    for (int a = 0; a < 3; a++)
        dims[a] = number(argc, argv, 1 + a, 1);
    int every = number(argc, argv, 4, 0);
    rebuild();
    for (int step = 0, last = 0; step < 120; step++) {
        int moved, is_old = step - last == 6 + last % 5;
        if (every)
            is_old = step % every == 0;
        else
            MPI_Allreduce(&step, &moved, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
        if (is_old) {
            rebuild();
            last = step;
        } else {
            forward();
        }
        work(20);
        reverse();
        if (step % 20 == 0)
            sum(step);
    }
}
