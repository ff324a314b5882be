/* tree: sums go up a binomial tree of messages and the result comes down.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=40
 * fact: pattern=tree
 * case: name=thirteen ranks=13 mpi=openmpi
 * fact: iterations count=40
 * fact: pattern=tree
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int i = 0; i < 40; i++) {
        work(20);
        int bit = 1;
        for (; bit < size && !(rank & bit); bit *= 2)
            if (rank + bit < size)
                MPI_Recv(in[0], 8, MPI_DOUBLE, rank + bit, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank > 0) {
            MPI_Send(out[0], 8, MPI_DOUBLE, rank - bit, 1, MPI_COMM_WORLD);
            MPI_Recv(in[0], 8, MPI_DOUBLE, rank - bit, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        for (bit /= 2; bit > 0; bit /= 2)
            if (rank + bit < size)
                MPI_Send(out[0], 8, MPI_DOUBLE, rank + bit, 2, MPI_COMM_WORLD);
    }
}
