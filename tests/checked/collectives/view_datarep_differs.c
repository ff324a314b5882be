/* File views with different data representations.
 *
 * ranks: 2
 * expect: collective.argument
 * allow: error.ignored
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out", native[] = "native", other[] = TWIN("external32", "native");
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    int error = MPI_File_set_view(file, 0, MPI_INT, MPI_INT, rank == 0 ? native : other, MPI_INFO_NULL); /* WRONG */
    if (error != MPI_SUCCESS)
        fprintf(stderr, "no view on rank %d\n", rank);
    MPI_File_close(&file);
}
