/* The pairs of MPI_Type_get_value_index are for MPI_MINLOC and MPI_MAXLOC; the ranks name different pairs.
 *
 * ranks: 2
 * expect: collective.datatype
 * mpi: wheel-mpich wheel-abi
 * bare: wheel-mpich=aborts wheel-abi=aborts
 */
#include "../checked.h"

static void program(void)
{
    struct { double value; int index; } mine = {rank, rank}, least;
    MPI_Datatype pair;
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
    MPI_Allreduce(&mine, &least, 1, rank ? pair : TWIN(MPI_FLOAT_INT, pair), MPI_MINLOC, WORLD); /* WRONG */
    use(&least);
}
