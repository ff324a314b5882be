/* ordered: each rank receives from the left before it makes what it sends to the right, though it does not need the one for
 * the other: the work of all ranks is done one after the other. Advised is to send before the receive (repaired: a
 * non-blocking send first); then all work at once, as in the twin.
 *
 * case: name=shift ranks=4
 * args: --delay-us 4000 --count 20
 * expect: finding=late_sender function=MPI_Recv seconds=planted tolerance=5%
 * allow: serialisation_chain pipeline_fill wait_at_nxn load_imbalance
 * repair: root=serialisation_chain|pipeline_fill saves=measured alternative=1
 * case: name=shift_8 ranks=8 mpi=openmpi
 * args: --delay-us 6000 --count 12
 * expect: finding=late_sender function=MPI_Recv seconds=planted tolerance=5%
 * allow: serialisation_chain pipeline_fill wait_at_nxn load_imbalance
 * repair: root=serialisation_chain|pipeline_fill saves=measured alternative=1
 * case: name=shift_twin ranks=4
 * args: --delay-us 4000 --count 20 --twin
 * expect: none
 */
#include "skeleton.h"

static char *out, *in;

static void setup(void)
{
    out = zeroed(planted.bytes);
    in = zeroed(planted.bytes);
}

static void receive(void)
{
    if (rank > 0)
        STAMP(MPI_Recv(in, planted.bytes, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(1, rank - 1));
}

static void step(int i)
{
    MPI_Request r = MPI_REQUEST_NULL;
    double norm;
    int is_first = planted.twin || planted.repaired;
    if (!is_first)
        receive();
    planted_work(i < 0 ? 0 : planted.delay_us);
    if (rank + 1 < size)
        STAMP(MPI_Isend(out, planted.bytes, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD, &r), SEND(1, rank + 1));
    if (is_first)
        receive();
    STAMP(MPI_Wait(&r, MPI_STATUS_IGNORE), (void)0);
    /* Data, so that it cannot be left out as a barrier could. */
    STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    result = norm / size + in[0];
}

static void finish(void)
{
    free(out);
    free(in);
}
