/* The same with threads that compute in between: only the first one calls MPI.
 *
 * ranks: 3
 * expect: race.deadlock
 * allow: race.receive
 * flags: -fopenmp
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"

int main(int argc, char **argv)
{
    int level;
    double sum = 0, values[2] = {0, 0};
    MPI_Request requests[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&values[0], 1, MPI_DOUBLE, TWIN(MPI_ANY_SOURCE, 2), 0, WORLD, &requests[0]); /* WRONG */
        MPI_Irecv(&values[1], 1, MPI_DOUBLE, 1, 0, WORLD, &requests[1]);
    }
#pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (int n = 1; n < 10000; n++)
        sum += 1.0 / n;
    if (rank == 0) {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* WRONG */
    } else {
        if (rank == 1)
            pause_ms(200);
        MPI_Send(&sum, 1, MPI_DOUBLE, 0, 0, WORLD);
    }
    MPI_Finalize();
    return 0;
}
