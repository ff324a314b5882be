/* An attribute is set with a key that was freed; one that was set before goes on.
 *
 * ranks: 1
 * expect: argument.attribute-key
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    int key, copy, value = 7, found, *got;
    MPI_Comm other;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    copy = key;
    MPI_Comm_dup(WORLD, &other);
    MPI_Comm_set_attr(WORLD, key, &value);
#ifdef RIGHT
    MPI_Comm_set_attr(other, key, &value);
#endif
    MPI_Comm_free_keyval(&key);
#ifndef RIGHT
    MPI_Comm_set_attr(other, copy, &value); /* WRONG */
#endif
    MPI_Comm_get_attr(WORLD, copy, &got, &found);
    MPI_Comm_delete_attr(WORLD, copy);
    MPI_Comm_free(&other);
}
