/* A file is closed a second time through a copy of its handle.
 *
 * ranks: 2
 * expect: argument.file | object.freed
 * allow: error.ignored
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file, copy;
    char name[] = "checked.out";
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    copy = file;
    MPI_File_close(&file);
#ifdef RIGHT
    copy = file;
    if (copy != MPI_FILE_NULL)
#endif
        MPI_File_close(&copy); /* WRONG */
}
