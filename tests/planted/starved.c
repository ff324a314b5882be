/* starved: ranks that compute have no core. They leave two cores to the program, wherever it runs, and keep them busy.
 *
 * Case more_ranks: eight ranks on two cores. Case busy_host: two ranks on two cores, beside six processes that compute.
 * Case spinning: four ranks of MPICH, which waits without giving way. Advised is to let it give way; repaired, waiting ranks
 * do. In twins there is a core for each rank.
 *
 * case: name=more_ranks ranks=8
 * args: --work-us 2000 --count 40
 * expect: finding=oversubscribed
 * allow: wait_at_nxn late_sender load_imbalance outlier warm_up nxn_completion wait_at_barrier
 * case: name=busy_host ranks=2 beside=6
 * args: --work-us 4000 --count 60
 * expect: finding=busy_host
 * allow: wait_at_nxn late_sender load_imbalance outlier warm_up nxn_completion wait_at_barrier
 * case: name=spinning ranks=4 mpi=mpich
 * args: --work-us 4000 --count 20 --spin
 * expect: finding=oversubscribed
 * allow: oversubscribed wait_at_nxn late_sender load_imbalance outlier warm_up nxn_completion wait_at_barrier
 * repair: root=oversubscribed saves=measured
 * case: name=twin ranks=2
 * args: --work-us 4000 --count 60
 * expect: none
 */
#include "skeleton.h"

static char *out, *in;

static void setup(void)
{
    planted_cores(2);
    out = zeroed(planted.bytes);
    in = zeroed(planted.bytes);
}

static void step(int i)
{
    double norm;
    int n = (int)planted.bytes, right = (rank + 1) % size, left = (rank + size - 1) % size;
    planted_burn(i < 0 ? 0 : planted.work_us);
    STAMP(MPI_Sendrecv(out, n, MPI_BYTE, right, 1, in, n, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          SEND(1, right), RECV(1, left));
    STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    result = norm / size + in[0];
}

static void finish(void)
{
    free(out);
    free(in);
}
