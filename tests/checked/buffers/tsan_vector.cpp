/* A vector of C++ is read, by an iterator, while it is being received.
 *
 * ranks: 2
 * lines: first
 * flags: -fsanitize=thread
 * expect: buffer.receive-read
 * bare: openmpi=ends mpich=ends
 */
#include <mpi.h>

#include <vector>

namespace {

double __attribute__((noinline)) sum(const std::vector<double> &all)
{
    double sum = 0;
    for (double one : all) /* WRONG */
        sum += one;
    return sum;
}

} // namespace

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<double> values(1000, rank);
    MPI_Request request;
    volatile double got = 0;
    if (rank == 1) {
        MPI_Irecv(values.data(), 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
#ifndef RIGHT
        got = sum(values);
#endif
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        got = got + sum(values);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(values.data(), 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
