/* The two leaders of an intercommunicator that is made from groups use different texts.
 *
 * ranks: 4
 * expect: deadlock.cycle | deadlock.collective
 * mpi: mpich
 * bare: mpich=hangs
 */
#include "../checked.h"

static void program(void)
{
    MPI_Group world, mine, other;
    MPI_Comm both = MPI_COMM_NULL;
    int ranks[2][2] = {{0, 1}, {2, 3}}, side = rank / 2;
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 2, ranks[side], &mine);
    MPI_Group_incl(world, 2, ranks[1 - side], &other);
    const char *text = TWIN(side ? "there" : "here", "here");
    MPI_Intercomm_create_from_groups(mine, 0, other, 0, text, MPI_INFO_NULL, /* WRONG */
                                     MPI_ERRORS_ARE_FATAL, &both);
    MPI_Comm_free(&both);
    MPI_Group_free(&mine);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
}
