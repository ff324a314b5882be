/* gradients: training in parallel: gradients of several layers are summed while the next is computed.
 *
 * case: name=six ranks=6 mpi=openmpi
 * fact: iterations count=60 calls=7
 * fact: grid none
 * case: name=two ranks=2
 * fact: iterations count=60 calls=7
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (int step = 0; step < 60; step++) {
        for (int layer = 0; layer < 6; layer++) {
            work(5);
            MPI_Iallreduce(out[layer], in[layer], 64 + layer, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[layer]);
        }
        MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    }
}
