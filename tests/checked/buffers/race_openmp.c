/* A halo exchange of the first thread; the others go on to the edge without the barrier, by luck when it has come.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread -fopenmp
 * options: --thread-races
 * expect: buffer.race | buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"

enum { N = 4000, STEPS = 5 };
static double field[N], next[N], halo[100];

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(WORLD, &rank);
    double sum = 0;
#pragma omp parallel num_threads(2)
    for (int step = 0; step < STEPS; step++) {
#pragma omp master
        {
            MPI_Request requests[2];
            MPI_Irecv(halo, 100, MPI_DOUBLE, 1 - rank, 0, WORLD, &requests[0]);
            MPI_Isend(field, 100, MPI_DOUBLE, 1 - rank, 0, WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
#ifdef RIGHT
#pragma omp barrier
#else
        work_ms(50);
#endif
#pragma omp for
        for (int i = 0; i < N; i++)
            next[i] = (field[i] + halo[i % 100]) / 2 + i; /* WRONG */
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < N; i++) {
            field[i] = next[i];
            sum += field[i];
        }
#pragma omp critical
        sum += 1;
#pragma omp barrier
    }
    use(&sum);
    MPI_Finalize();
    return 0;
}
