/* OpenMP in a program that has asked for one thread: MPI_Init asks for MPI_THREAD_SINGLE.
 *
 * ranks: 2
 * lines: first
 * flags: -fopenmp
 * expect: life.thread-single
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"

int main(int argc, char **argv)
{
    double sum = 0;
#ifdef RIGHT
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
#else
    MPI_Init(&argc, &argv); /* WRONG */
#endif
    MPI_Comm_rank(WORLD, &rank);
#pragma omp parallel for num_threads(3) reduction(+ : sum)
    for (int i = 0; i < 1000; i++)
        sum += i;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, WORLD);
    MPI_Finalize();
    return sum != 999000;
}
