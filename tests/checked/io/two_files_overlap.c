/* Two ranks write to the same place of one file that each has opened for itself.
 *
 * ranks: 2
 * expect: io.overlap
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_File file;
    char name[] = "checked.out";
    int values[4] = {rank};
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    MPI_File_write_at(file, TWIN(0, 16 * rank), values, 4, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_File_close(&file);
}
