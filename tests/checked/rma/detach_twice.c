/* Memory is detached from a window for the second time.
 *
 * ranks: 2
 * expect: argument.value
 * bare: openmpi=aborts mpich=ends
 */
#include "../checked.h"

static void program(void)
{
    static int cells[4], others[4];
    MPI_Win window;
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &window);
    MPI_Win_attach(window, cells, sizeof cells);
    MPI_Win_attach(window, others, sizeof others);
    MPI_Win_detach(window, cells);
    MPI_Win_detach(window, TWIN(cells, others)); /* WRONG */
    MPI_Win_free(&window);
}
