/* A file is deleted before it is closed.
 * 
 * ranks: 1
 * expect: file.deleted-open
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    int values[4] = {1, 2, 3, 4};
    MPI_File_open(WORLD, "deleted.bin", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write(file, values, 4, MPI_INT, MPI_STATUS_IGNORE);
#ifdef RIGHT
    MPI_File_close(&file);
#endif
    MPI_File_delete("deleted.bin", MPI_INFO_NULL); /* WRONG */
#ifndef RIGHT
    MPI_File_close(&file);
#endif
}
