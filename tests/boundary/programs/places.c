/* places: ten times a barrier, solve() with an allreduce and a barrier, rest() with a barrier. */
#include <mpi.h>
#include <stdio.h>

__attribute__((noinline)) int solve(int i)
{
    int sum = 0;
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* line 8 */
    MPI_Barrier(MPI_COMM_WORLD);
    return sum;
}

__attribute__((noinline)) void rest(void)
{
    MPI_Barrier(MPI_COMM_WORLD); /* line 15 */
}

/* A switch, which becomes a jump table, at the beginning of a function with a frame. */
__attribute__((noinline)) int choose(int i)
{
    switch (i % 7) {
    case 0: return solve(i + 4);
    case 1: return solve(i) + 9;
    case 2: rest(); return 5;
    case 3: return i * 11;
    case 4: rest(); return solve(i) - 2;
    case 5: return solve(3);
    default: return -i;
    }
}

__attribute__((noinline)) int tiny(void)
{
    return 1;
}

void shortest(void)
{
}

/* Nobody calls it. */
int never(int i)
{
    rest();
    return solve(i) * 3; /* nobody comes here */
}

int main(int argc, char **argv)
{
    int total = 0, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        total += solve(i) + tiny(); /* line 44 */
        rest();
    }
    for (int i = 0; argc > 1 && i < 14; i++)
        total += choose(i);
    if (rank == 0)
        printf("total %d\n", total);
    MPI_Finalize();
    return 0;
}
