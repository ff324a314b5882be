/* edges: loops as programs have them, whose ranks do not all make the same calls; one rank is late in each.
 *
 * Variant no_partner: with an odd number of ranks the last one has no partner and waits for no request at all. Variant line: a
 * halo exchange without a wrap, so that the ends have one neighbour. Variant nested: time steps of eight solver iterations.
 * Variant wrapper: all calls are made by small functions of the program's own. Repaired, the work is balanced.
 *
 * case: name=no_partner ranks=3
 * args: --variant no_partner --late 0 --delay-us 6000 --count 60
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Waitall seconds=planted tolerance=5%
 * expect: finding=wait_at_nxn ranks=2 function=MPI_Allreduce seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender cause=0 saves=measured
 * case: name=line ranks=4
 * args: --variant line --late 1 --delay-us 8000 --count 30
 * expect: finding=load_imbalance cause=1
 * expect: finding=late_sender ranks=0,2,3 function=MPI_Waitall seconds=planted tolerance=5%
 * allow: serialisation_chain
 * repair: root=load_imbalance cause=1 saves=measured
 * fact: iterations count=30
 * case: name=nested ranks=4
 * args: --variant nested --late 2 --delay-us 4000 --count 12
 * expect: finding=load_imbalance cause=2
 * allow: late_sender late_receiver wait_at_nxn serialisation_chain
 * repair: root=load_imbalance cause=2 saves=measured
 * fact: iterations count=12
 * case: name=wrapper ranks=2
 * args: --variant wrapper --late 0
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender cause=0 saves=measured
 * case: name=no_partner_twin ranks=3
 * args: --variant no_partner --twin --delay-us 6000 --count 60
 * expect: none
 * case: name=line_twin ranks=4
 * args: --variant line --twin --delay-us 8000 --count 30
 * expect: none
 * case: name=nested_twin ranks=4
 * args: --variant nested --twin --delay-us 4000 --count 12
 * expect: none
 * fact: iterations count=12
 */
#include "skeleton.h"

enum { TAG = 1, INNER = 8, MOST = 2 };
static char *out, *in;

static void setup(void)
{
    out = zeroed(planted.bytes);
    in = zeroed(planted.bytes * MOST);
    if (!variant_is("no_partner") && !variant_is("line") && !variant_is("nested") && !variant_is("wrapper"))
        unknown_variant();
}

/* With each of so many neighbours; perhaps with none. */
static void exchange(const int *with, int count)
{
    int n = (int)planted.bytes;
    MPI_Request r[2 * MOST];
    for (int p = 0; p < count; p++)
        STAMP(MPI_Irecv(in + p * n, n, MPI_BYTE, with[p], TAG, MPI_COMM_WORLD, &r[p]), POST(TAG, with[p]));
    for (int p = 0; p < count; p++)
        STAMP(MPI_Isend(out, n, MPI_BYTE, with[p], TAG, MPI_COMM_WORLD, &r[count + p]), SEND(TAG, with[p]));
    STAMP(MPI_Waitall(2 * count, r, MPI_STATUSES_IGNORE),
          for (int p = 0; p < count; p++) ARRIVAL(TAG, with[p]));
}

static void no_partner(void)
{
    int partner = rank ^ 1;
    double norm;
    exchange(&partner, partner < size);
    STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
}

static void line(void)
{
    int with[MOST], count = 0;
    if (rank > 0)
        with[count++] = rank - 1;
    if (rank + 1 < size)
        with[count++] = rank + 1;
    exchange(with, count);
}

static void nested(int i)
{
    double norm;
    int n = (int)planted.bytes, right = (rank + 1) % size, left = (rank + size - 1) % size;
    long dt = planted.delay_us;
    STAMP(MPI_Bcast(&dt, 1, MPI_LONG, 0, MPI_COMM_WORLD), FROM_ROOT(0, rank, 0));
    for (int k = 0; k < INNER; k++) {
        work(i);
        STAMP(MPI_Sendrecv(out, n, MPI_BYTE, right, TAG, in, n, MPI_BYTE, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              SEND(TAG, right), RECV(TAG, left));
        STAMP(MPI_Allreduce(&result, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), NXN(0));
    }
}

__attribute__((noinline)) static void give(int to)
{
    STAMP(MPI_Send(out, planted.bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD), SEND(TAG, to));
}

__attribute__((noinline)) static void fetch(int from)
{
    STAMP(MPI_Recv(in, planted.bytes, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE), RECV(TAG, from));
}

static void step(int i)
{
    int partner = rank ^ 1;
    if (!variant_is("nested"))
        work(i);
    if (variant_is("no_partner"))
        no_partner();
    else if (variant_is("line"))
        line();
    else if (variant_is("nested"))
        nested(i);
    else if (rank % 2 == 0)
        give(partner);
    else
        fetch(partner);
    result += in[0];
}

static void finish(void)
{
    free(out);
    free(in);
}
