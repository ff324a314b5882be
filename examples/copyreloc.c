/* copyreloc: a program that holds its own copy of the MPI library's predefined objects.
 *
 *   copyreloc
 *
 * In Open MPI MPI_DOUBLE is the address of the variable ompi_mpi_double. A program that
 * is not position independent (-no-pie -fno-pie, see the Makefile) gets a copy of that
 * variable in its own memory (R_X86_64_COPY), and every library is bound to the copy:
 * looking the symbol up in the MPI library's own handle gives another, wrong address.
 * In MPICH handles are plain integers and nothing special happens.
 *
 * Shows: predefined handles must be recognised wherever they are. Prints OK when
 * reductions with static tables of handles are right. */
#include "common.h"

/* Static initialisers: the relocations stand in the program's data as well as its code. */
static const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_INT};
static const MPI_Op ops[] = {MPI_SUM, MPI_SUM, MPI_MAX, MPI_MIN};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double expected[] = {size * (size + 1) / 2.0, size * (size + 1) / 2.0, size, 1};
    for (int i = 0; i < 4; i++) {
        double real = rank + 1, real_result = 0;
        int whole = rank + 1, whole_result = 0;
        int is_real = types[i] == MPI_DOUBLE;
        MPI_Allreduce(is_real ? (void *)&real : (void *)&whole, is_real ? (void *)&real_result : (void *)&whole_result,
                      1, types[i], ops[i], MPI_COMM_WORLD);
        CHECK((is_real ? real_result : whole_result) == expected[i]);
    }
    if (rank == 0)
        printf("copyreloc %s\n", check_failures ? "FAILED" : "OK");
    MPI_Finalize();
    return check_failures != 0;
}
