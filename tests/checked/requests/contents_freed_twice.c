/* Parts of a datatype, one of them twice, are given out by MPI_Type_get_contents: each is freed once, and then one of them again.
 *
 * ranks: 2
 * expect: object.freed | argument.datatype
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype column, pair, parts[2], copy;
    int lengths[2] = {1, 1}, integers[3], named, addresses_n, parts_n, combiner;
    MPI_Aint places[2] = {0, 64}, addresses[2];
    MPI_Type_vector(2, 1, 2, MPI_INT, &column);
    MPI_Datatype types[2] = {column, column};
    MPI_Type_create_struct(2, lengths, places, types, &pair);
    MPI_Type_free(&column);
    MPI_Type_get_envelope(pair, &named, &addresses_n, &parts_n, &combiner);
    for (int i = 0; i < 2; i++) {
        MPI_Type_get_contents(pair, named, addresses_n, parts_n, integers, addresses, parts);
        MPI_Type_size(parts[1], &combiner);
        MPI_Type_free(&parts[0]);
        MPI_Type_size(parts[1], &combiner);
        if (i == 0)
            MPI_Type_free(&parts[1]);
    }
    copy = parts[1];
    MPI_Type_free(&pair);
    MPI_Type_free(&parts[1]);
#ifdef RIGHT
    copy = parts[1];
    if (copy != MPI_DATATYPE_NULL)
#endif
        MPI_Type_free(&copy); /* WRONG */
}
