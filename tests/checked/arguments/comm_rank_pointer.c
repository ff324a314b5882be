/* No place for the rank.
 *
 * ranks: 1
 * expect: argument.null-pointer
 * bare: openmpi=aborts mpich=aborts
 */
#include "../checked.h"

static void program(void)
{
    int here;
    use(&here);
    MPI_Comm_rank(WORLD, TWIN(NULL, &here)); /* WRONG */
}
