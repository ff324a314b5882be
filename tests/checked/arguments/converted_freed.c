/* A datatype that was freed is converted to Fortran's form; null handles of all kinds may be.
 *
 * ranks: 1
 * expect: argument.datatype
 * mpi: openmpi
 * bare: openmpi=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Datatype pair, copy;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    copy = pair;
    MPI_Type_free(&pair);
    MPI_Fint all[10] = {MPI_Comm_c2f(MPI_COMM_NULL), MPI_Group_c2f(MPI_GROUP_NULL), MPI_Op_c2f(MPI_OP_NULL),
                      MPI_Request_c2f(MPI_REQUEST_NULL), MPI_Win_c2f(MPI_WIN_NULL), MPI_File_c2f(MPI_FILE_NULL),
                      MPI_Info_c2f(MPI_INFO_NULL), MPI_Errhandler_c2f(MPI_ERRHANDLER_NULL),
                      MPI_Message_c2f(MPI_MESSAGE_NULL)};
    all[9] = MPI_Type_c2f(TWIN(copy, pair)); /* WRONG */
    MPI_Comm_f2c(all[0]);
    use(all);
}
