/* late_receiver: a send that cannot end before its receive begins, and that begins late.
 *
 * Even ranks send to the rank above them, synchronously or by rendezvous. Late receivers work longer
 * before they receive.
 *
 * case: name=ssend ranks=2 quick
 * args: --variant ssend --late 1
 * expect: finding=late_receiver ranks=0 cause=1 function=MPI_Ssend seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_receiver saves=measured
 * case: name=send_large ranks=2
 * args: --variant send --bytes 1048576 --late 1
 * expect: finding=late_receiver ranks=0 cause=1 function=MPI_Send seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_receiver saves=measured
 * case: name=isend_wait ranks=2
 * args: --variant isend --bytes 1048576 --late 1
 * expect: finding=late_receiver ranks=0 cause=1 function=MPI_Wait seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_receiver saves=measured
 * case: name=issend_wait ranks=4
 * args: --variant issend --late 3 --delay-us 8000 --count 30
 * expect: finding=late_receiver ranks=2 cause=3 function=MPI_Wait seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_receiver saves=measured
 * case: name=ssend_twin ranks=2 quick
 * args: --variant ssend --twin
 * expect: none
 * case: name=send_large_twin ranks=2
 * args: --variant send --bytes 1048576 --twin
 * expect: none
 */
#include "skeleton.h"

static char *buffer;
static int partner, sends;

static void setup(void)
{
    buffer = zeroed(planted.bytes);
    sends = rank % 2 == 0;
    partner = sends ? rank + 1 : rank - 1;
}

static void step(int i)
{
    MPI_Request r;
    work(i);
    if (!sends) {
        STAMP(MPI_Recv(buffer, planted.bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              RECV(1, partner));
    } else if (variant_is("ssend")) {
        STAMP(MPI_Ssend(buffer, planted.bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD), SYNC_SEND(1, partner));
    } else if (variant_is("send")) {
        STAMP(MPI_Send(buffer, planted.bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD), SYNC_SEND(1, partner));
    } else if (variant_is("isend")) {
        STAMP(MPI_Isend(buffer, planted.bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &r), SEND(1, partner));
        STAMP(MPI_Wait(&r, MPI_STATUS_IGNORE), DELIVERY(1, partner));
    } else if (variant_is("issend")) {
        STAMP(MPI_Issend(buffer, planted.bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &r), SEND(1, partner));
        STAMP(MPI_Wait(&r, MPI_STATUS_IGNORE), DELIVERY(1, partner));
    } else {
        unknown_variant();
    }
    result += buffer[0];
}

static void finish(void)
{
    free(buffer);
}
