/* The std::vector itself is sent in place of its elements.
 *
 * ranks: 2
 * flags: -O0
 * expect: argument.variable-type
 * allow-both: message.untyped
 * bare: openmpi=ends mpich=ends
 */
#include <mpi.h>
#include <vector>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<double> values(3, rank);
    if (rank == 0) {
#ifdef RIGHT
        MPI_Send(values.data(), 3, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
#else
        MPI_Send(&values, 3, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* WRONG */
#endif
    } else {
        MPI_Recv(values.data(), 24, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
