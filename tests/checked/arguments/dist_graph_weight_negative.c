/* A graph with an edge of negative weight.
 *
 * ranks: 2
 * expect: argument.value
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    MPI_Comm graph;
    int other = 1 - rank, weight = TWIN(-2, 2);
    MPI_Dist_graph_create_adjacent(WORLD, 1, &other, &weight, 1, &other, &weight, MPI_INFO_NULL, 0, &graph); /* WRONG */
    MPI_Comm_free(&graph);
}
