/* A key that is longer than MPI_MAX_INFO_KEY.
 *
 * ranks: 1
 * expect: argument.value
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    MPI_Info info;
    char key[MPI_MAX_INFO_KEY + 10];
    memset(key, 'k', sizeof key);
    key[TWIN(MPI_MAX_INFO_KEY + 9, MPI_MAX_INFO_KEY - 1)] = '\0';
    MPI_Info_create(&info);
    MPI_Info_set(info, key, "value"); /* WRONG */
    MPI_Info_free(&info);
}
