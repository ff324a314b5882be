/* Waits for a time by asking for it, again and again, before each of a few operations. Each rank prints how often it asked:
 *   clock_loop STEPS MILLISECONDS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long asked;

static void wait_for(double s)
{
    double begin = MPI_Wtime(), now;
    asked++;
    do {
        now = MPI_Wtime();
        asked++;
    } while (now - begin < s);
}

int main(int argc, char **argv)
{
    int rank, steps = atoi(argv[1]), ms = atoi(argv[argc - 1]);
    double sum, one = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
        wait_for(1e-3 * ms * (rank + 1));
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("rank %d asked %ld\n", rank, asked);
    MPI_Finalize();
    return 0;
}
