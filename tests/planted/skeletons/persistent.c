/* persistent: requests that are made once and started in each step.
 *
 * case: name=eight ranks=8 mpi=openmpi
 * fact: iterations count=80 calls=3
 * fact: grid dims=8 periodic=1
 * fact: pattern=halo neighbors=2
 * case: name=three ranks=3
 * fact: iterations count=80 calls=3
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    (void)argc, (void)argv;
    int list[2] = {(rank + 1) % size, (rank + size - 1) % size};
    for (int i = 0; i < 2; i++) {
        MPI_Recv_init(in[i], 20, MPI_DOUBLE, list[i], 1, MPI_COMM_WORLD, &requests[i]);
        MPI_Send_init(out[i], 20, MPI_DOUBLE, list[i], 1, MPI_COMM_WORLD, &requests[2 + i]);
    }
    for (int step = 0; step < 80; step++) {
        MPI_Startall(4, requests);
        work(10);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        sum(step);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
}
