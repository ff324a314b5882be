/* The root gathers doubles where ints and floats are sent.
 *
 * ranks: 2
 * expect: collective.datatype
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    struct { int number; float weight; } mine = {rank, 0.5f};
    struct { double both; } all[2];
#ifdef RIGHT
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, WORLD);
#else
    MPI_Datatype record, parts[2] = {MPI_INT, MPI_FLOAT};
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 4};
    MPI_Type_create_struct(2, lengths, places, parts, &record);
    MPI_Type_commit(&record);
    MPI_Gather(&mine, 1, record, all, 1, MPI_DOUBLE, 0, WORLD); /* WRONG */
    MPI_Type_free(&record);
#endif
    use(all);
}
