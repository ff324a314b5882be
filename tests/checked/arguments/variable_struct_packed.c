/* A datatype for a structure leaves out the gap that the compiler puts in.
 *
 * ranks: 2
 * expect: argument.variable-type
 * bare: openmpi=ends mpich=ends
 */
#include "../checked.h"
#include <stddef.h>

static struct particle {
    int kind;
    double place[3];
} particle;

static void program(void)
{
    int lengths[2] = {1, 3};
    MPI_Aint places[2] = {0, TWIN(sizeof(int), offsetof(struct particle, place))};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, datatype;
    MPI_Type_create_struct(2, lengths, places, types, &datatype);
    MPI_Type_commit(&datatype);
    particle.kind = rank;
    MPI_Bcast(&particle, 1, datatype, 0, WORLD); /* WRONG */
    MPI_Type_free(&datatype);
    use(&particle);
}
