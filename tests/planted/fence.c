/* fence: early ranks wait at MPI_Win_fence.
 *
 * case: name=late ranks=2 quick
 * args: --late 1
 * expect: finding=wait_at_fence ranks=0 cause=1 function=MPI_Win_fence seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_fence saves=measured
 * case: name=late_4 ranks=4
 * args: --late 2 --delay-us 8000 --count 30
 * expect: finding=wait_at_fence ranks=0,1,3 cause=2 function=MPI_Win_fence seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|wait_at_fence saves=measured
 * case: name=twin ranks=2 quick
 * args: --twin
 * expect: none
 */
#include "skeleton.h"

static MPI_Win window;
static char *exposed, *mine;

static void setup(void)
{
    mine = zeroed(planted.bytes);
    MPI_Win_allocate(planted.bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &window);
    memset(exposed, 0, planted.bytes);
    STAMP(MPI_Win_fence(0, window), FENCE(1));
}

static void step(int i)
{
    work(i);
    STAMP(MPI_Put(mine, planted.bytes, MPI_BYTE, (rank + 1) % size, 0, planted.bytes, MPI_BYTE, window), (void)0);
    STAMP(MPI_Win_fence(0, window), FENCE(1));
    result += exposed[0];
}

static void finish(void)
{
    MPI_Win_free(&window);
    free(mine);
}
