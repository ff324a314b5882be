/* A file that is not there is deleted, and nobody looks.
 *
 * ranks: 1
 * expect: error.ignored
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    char name[] = "checked-there-is-no-such-file";
#ifdef RIGHT
    char text[MPI_MAX_ERROR_STRING];
    int length, error = MPI_File_delete(name, MPI_INFO_NULL);
    if (error != MPI_SUCCESS)
        MPI_Error_string(error, text, &length);
    use(text);
#else
    MPI_File_delete(name, MPI_INFO_NULL); /* WRONG */
#endif
}
