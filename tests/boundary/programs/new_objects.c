/* new_objects N: N turns, each with a communicator and a datatype of its own: no call repeats an earlier one. Then calls of a
 * kind that the turns do not have. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < n; i++) {
        MPI_Comm comm;
        MPI_Datatype type;
        int one = 1, all;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        MPI_Type_contiguous(i % 1000 + 1, MPI_INT, &type);
        MPI_Type_commit(&type);
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm);
        MPI_Type_free(&type);
        MPI_Comm_free(&comm);
    }
    int word = 1;
    MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Finalize();
    puts("new_objects OK");
    return 0;
}
