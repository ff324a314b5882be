/* MPI_Init for the second time.
 *
 * ranks: 2
 * expect: life.init-twice
 * bare: openmpi=aborts mpich=aborts
 */
#define OWN_MAIN
#include "../checked.h"

int main(int argc, char **argv)
{
    int done;
    MPI_Init(&argc, &argv);
    MPI_Initialized(&done);
#ifdef RIGHT
    if (!done)
#endif
        MPI_Init(&argc, &argv); /* WRONG */
    MPI_Finalize();
    return 0;
}
