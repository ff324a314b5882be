/* Ranks open a file in different modes.
 *
 * ranks: 2
 * expect: collective.argument
 * allow: error.ignored
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file = MPI_FILE_NULL;
    char name[] = "checked.out";
    int mode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | (rank == TWIN(1, -1) ? MPI_MODE_WRONLY : MPI_MODE_RDWR);
    int error = MPI_File_open(WORLD, name, mode, MPI_INFO_NULL, &file); /* WRONG */
    if (error == MPI_SUCCESS)
        MPI_File_close(&file);
}
