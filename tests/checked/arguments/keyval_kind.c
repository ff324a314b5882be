/* A key of datatypes asks for an attribute of a communicator.
 *
 * ranks: 1
 * expect: argument.attribute-key
 * bare: openmpi=ends mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int key, found;
    void *value;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
#ifdef RIGHT
    MPI_Type_get_attr(MPI_INT, key, &value, &found);
#else
    MPI_Comm_get_attr(WORLD, key, &value, &found); /* WRONG */
#endif
    MPI_Type_free_keyval(&key);
}
