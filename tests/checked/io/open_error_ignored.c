/* A file that does not exist is opened, and nobody looks whether that went well.
 *
 * ranks: 2
 * expect: error.ignored
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked-there-is-no-such-file";
#ifdef RIGHT
    int class, error = MPI_File_open(WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    if (error != MPI_SUCCESS) {
        MPI_Error_class(error, &class);
        if (class != MPI_ERR_NO_SUCH_FILE)
            fprintf(stderr, "error class %d\n", class);
    }
#else
    MPI_File_open(WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file); /* WRONG */
#endif
}
