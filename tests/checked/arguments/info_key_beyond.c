/* The key after the last one.
 *
 * ranks: 1
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Info info;
    char key[MPI_MAX_INFO_KEY + 1];
    int keys;
    MPI_Info_create(&info);
    MPI_Info_set(info, "first", "1");
    MPI_Info_get_nkeys(info, &keys);
    MPI_Info_get_nthkey(info, TWIN(keys, keys - 1), key); /* WRONG */
    MPI_Info_free(&info);
}
