/* amr: adaptive mesh: neighbours change when the mesh is made anew, in every fourth step.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=60
 * case: name=four ranks=4
 * fact: iterations count=60
 */
#include "skeletons.h"

static int list[4], neighbours;

__attribute__((noinline)) static void regrid(int epoch)
{
    int cells[MOST], mine = rank + epoch, *counts = calloc(4 * size, sizeof *counts);
    MPI_Allgather(&mine, 1, MPI_INT, cells, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        counts[r] = counts[size + r] = 1;
    for (int r = 0; r < size; r++)
        counts[2 * size + r] = counts[3 * size + r] = r;
    MPI_Alltoallv(out[0], counts, counts + 2 * size, MPI_DOUBLE, in[0], counts + size, counts + 3 * size, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    free(counts);
    neighbours = 0;
    for (int by = 1; by <= 2 && by < size; by++) {
        int far = by == 1 ? 1 : 2 + epoch % 2;
        list[neighbours++] = (rank + far) % size;
        list[neighbours++] = (rank + size - far) % size;
    }
}

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    regrid(0);
    for (int step = 0; step < 60; step++) {
        if (step % 4 == 3)
            regrid(step / 4);
        sum(step);
        halo(neighbours, list, 40);
        work(20);
    }
}
