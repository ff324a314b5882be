/* A sum of derived datatypes; its right twin sums predefined ones that MPI_File_get_view and MPI_Type_match_size gave out.
 *
 * ranks: 2
 * expect: argument.operation-datatype
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    double in[2] = {1, 2}, out[2] = {0, 0};
    MPI_Datatype etype, filetype, matched, pair;
    MPI_Offset begin;
    MPI_File file;
    char representation[MPI_MAX_DATAREP_STRING];
    MPI_File_open(WORLD, "view_types.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_get_view(file, &begin, &etype, &filetype, representation);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, sizeof(double), &matched);
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    MPI_Allreduce(in, out, 2, MPI_DOUBLE, MPI_SUM, WORLD);
    MPI_Allreduce(in, out, 2, matched, MPI_SUM, WORLD);
#ifndef RIGHT
    MPI_Allreduce(in, out, 1, pair, MPI_SUM, WORLD); /* WRONG */
#endif
    if (etype != MPI_DOUBLE)
        MPI_Type_free(&etype);
    if (filetype != MPI_DOUBLE)
        MPI_Type_free(&filetype);
    MPI_Type_free(&pair);
    MPI_File_close(&file);
}
