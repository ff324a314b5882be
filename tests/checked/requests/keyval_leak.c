/* An attribute key is never freed.
 *
 * ranks: 2
 * expect: leak.attribute-key
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int key, value = rank;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL); /* WRONG */
    MPI_Comm_set_attr(WORLD, key, &value);
    MPI_Comm_delete_attr(WORLD, key);
#ifdef RIGHT
    MPI_Comm_free_keyval(&key);
#endif
}
