/* Ranks 0 to 3 reduce among themselves, the others go round a ring of their own; all meet now and then. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 4 ? 0 : MPI_UNDEFINED, rank, &part);
    if (part != MPI_COMM_NULL) MPI_Comm_set_name(part, "front");
    for (int round = 0; round < 40; round++) {
        double one = 1, sum;
        if (part != MPI_COMM_NULL) {
            usleep(200 * (rank + 1));
            MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, part);
        } else {
            usleep(1500);
        }
        if (round % 10 == 0) MPI_Barrier(MPI_COMM_WORLD);
    }
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
    MPI_Finalize();
}
