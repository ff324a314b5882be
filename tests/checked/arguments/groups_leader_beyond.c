/* The leader of the other group, when an intercommunicator is made from groups, is not in it.
 *
 * ranks: 4
 * expect: argument.rank
 * allow: deadlock.cycle deadlock.collective collective.missing deadlock.ended life.died life.no-finalize
 * mpi: mpich
 * bare: mpich=aborts
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
    int leader = TWIN(2, 0);
    MPI_Intercomm_create_from_groups(mine, 0, other, leader, "checked", MPI_INFO_NULL, /* WRONG */
                                     MPI_ERRORS_ARE_FATAL, &both);
    MPI_Comm_free(&both);
    MPI_Group_free(&mine);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
}
