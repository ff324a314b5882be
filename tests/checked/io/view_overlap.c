/* Two ranks write through views that are the same; interleaved views are right.
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
    MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    int values[4] = {rank};
    char native[] = "native";
    MPI_Datatype every;
    MPI_Type_vector(4, 1, 2, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_File_set_view(file, TWIN(0, 4 * rank), MPI_INT, every, native, MPI_INFO_NULL);
    MPI_File_write_all(file, values, 4, MPI_INT, MPI_STATUS_IGNORE); /* WRONG */
    MPI_Type_free(&every);
    MPI_File_close(&file);
}
