/* Ranks write with the shared file pointer, and have different views of the file.
 * 
 * ranks: 2
 * expect: file.shared-view
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    int values[4] = {1, 2, 3, 4};
    MPI_File_open(WORLD, "shared_views.bin", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, TWIN(64 * rank, 64), MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_shared(file, values, 4, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
}
