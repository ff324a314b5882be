/* summa: products of matrices on a square: panels go along rows and columns; 12 products of as many panels as the
 * square has rows.
 *
 * case: name=nine ranks=9 mpi=openmpi
 * args: 3
 * fact: iterations count=12 calls=7
 * fact: grid dims=3x3
 * case: name=four ranks=4
 * args: 2
 * fact: iterations count=12
 */
#include "skeletons.h"

static void program(int argc, char **argv)
{
    int q = number(argc, argv, 1, 2);
    MPI_Comm row, column;
    MPI_Comm_split(MPI_COMM_WORLD, rank / q, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % q, rank, &column);
    for (int product = 0; product < 12; product++) {
        for (int panel = 0; panel < q; panel++) {
            MPI_Bcast(out[0], 100, MPI_DOUBLE, panel, row);
            MPI_Bcast(out[1], 100, MPI_DOUBLE, panel, column);
            work(20);
        }
        sum(product);
    }
}
