/* pcontrol: 10 barriers, MPI_Pcontrol(1), 20 barriers, MPI_Pcontrol(0), 40 barriers. */
#include <mpi.h>

static void barriers(int n)
{
    while (n-- > 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    barriers(10);
    MPI_Pcontrol(1);
    barriers(20);
    MPI_Pcontrol(0);
    barriers(40);
    MPI_Finalize();
    return 0;
}
