/* Calls that end a function: optimised, it jumps there and leaves no frame. */
#include <mpi.h>

static double in[4], out[4];

__attribute__((noinline)) static void sum(int n)
{
    in[0] += n;
    MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* sum */
}

__attribute__((noinline)) static int meet(void)
{
    return MPI_Barrier(MPI_COMM_WORLD); /* meet */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 20; i++) {
        sum(4); /* calls sum */
        meet(); /* calls meet */
        MPI_Scan(in, out, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* main */
    }
    return MPI_Finalize();
}
