/* late_sender: receivers are ready before anything has been sent.
 *
 * Even ranks send to the rank above them. Late ones work longer before they send; in the twin both work
 * equally long. Variant reversed uses a communicator in which ranks count from the other end: findings
 * name ranks of MPI_COMM_WORLD.
 *
 * case: name=recv ranks=2 quick
 * args: --variant recv --late 0
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender cause=0 saves=measured
 * case: name=recv_pairs ranks=4
 * args: --variant recv --late 2 --delay-us 8000 --count 30
 * expect: finding=late_sender ranks=3 cause=2 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender cause=2 saves=measured
 * case: name=irecv_wait ranks=2
 * args: --variant irecv_wait --late 0
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Wait seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender saves=measured
 * case: name=waitall ranks=2
 * args: --variant waitall --late 0
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Waitall seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender cause=0 saves=measured
 * case: name=sendrecv ranks=2
 * args: --variant sendrecv --late 0
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Sendrecv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender saves=measured
 * case: name=persistent ranks=2
 * args: --variant persistent --late 0
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Wait seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender saves=measured
 * case: name=wildcard ranks=2
 * args: --variant wildcard --late 0
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender saves=measured
 * case: name=mprobe ranks=2
 * args: --variant mprobe --late 0
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Mprobe seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender saves=measured
 * case: name=waitany ranks=2
 * args: --variant waitany --late 0
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Waitany seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender saves=measured
 * case: name=reversed ranks=4 quick
 * args: --variant reversed --late 2 --delay-us 8000 --count 30
 * expect: finding=late_sender ranks=3 cause=2 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender saves=measured
 * case: name=recv_mild ranks=2
 * args: --variant recv --late 0 --work-us 5000 --delay-us 800
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender cause=0 saves=measured
 * case: name=recv_severe ranks=2
 * args: --variant recv --late 0 --delay-us 30000 --count 15
 * expect: finding=late_sender ranks=1 cause=0 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender cause=0 saves=measured
 * case: name=recv_8 ranks=8 mpi=openmpi
 * args: --variant recv --late 4 --delay-us 16000 --count 30
 * expect: finding=late_sender ranks=5 cause=4 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender saves=measured
 * case: name=reversed_16 ranks=16 mpi=openmpi
 * args: --variant reversed --late 6,12 --delay-us 30000 --count 20
 * expect: finding=late_sender ranks=7,13 cause=6,12 function=MPI_Recv seconds=planted tolerance=5%
 * allow: load_imbalance
 * repair: root=load_imbalance|late_sender saves=measured
 * case: name=reversed_8_twin ranks=8 mpi=openmpi
 * args: --variant reversed --twin --delay-us 8000 --count 30
 * expect: none
 * case: name=recv_twin ranks=2 quick
 * args: --variant recv --twin
 * expect: none
 * case: name=waitall_twin ranks=2
 * args: --variant waitall --twin
 * expect: none
 * case: name=sendrecv_twin ranks=2
 * args: --variant sendrecv --twin
 * expect: none
 * case: name=mprobe_twin ranks=2
 * args: --variant mprobe --twin
 * expect: none
 */
#include "skeleton.h"

enum { PARTS = 4 };
static char *out, *in;
static MPI_Request persistent;
static MPI_Comm comm = MPI_COMM_WORLD;
static int partner, sends; /* in MPI_COMM_WORLD */
static int peer;           /* the same in comm */

static void setup(void)
{
    out = zeroed(planted.bytes * PARTS);
    in = zeroed(planted.bytes * PARTS);
    sends = rank % 2 == 0;
    peer = partner = sends ? rank + 1 : rank - 1;
    if (variant_is("reversed")) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
        peer = size - 1 - partner;
    }
    if (!variant_is("persistent"))
        return;
    if (sends)
        MPI_Send_init(out, planted.bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &persistent);
    else
        MPI_Recv_init(in, planted.bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, &persistent);
}

static void send_side(void)
{
    if (variant_is("waitall") || variant_is("waitany")) {
        for (int p = 0; p < PARTS; p++)
            STAMP(MPI_Send(out + p * planted.bytes, planted.bytes, MPI_BYTE, partner, p, MPI_COMM_WORLD),
                  SEND(p, partner));
    } else if (variant_is("persistent")) {
        STAMP(MPI_Start(&persistent), SEND(1, partner));
        STAMP(MPI_Wait(&persistent, MPI_STATUS_IGNORE), (void)0);
    } else {
        STAMP(MPI_Send(out, planted.bytes, MPI_BYTE, peer, 1, comm), SEND(1, partner));
    }
}

static void receive_side(void)
{
    MPI_Request r[PARTS];
    MPI_Status status;
    if (variant_is("recv") || variant_is("reversed")) {
        STAMP(MPI_Recv(in, planted.bytes, MPI_BYTE, peer, 1, comm, &status), RECV(1, partner));
    } else if (variant_is("wildcard")) {
        STAMP(MPI_Recv(in, planted.bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status),
              RECV(1, status.MPI_SOURCE));
    } else if (variant_is("irecv_wait")) {
        STAMP(MPI_Irecv(in, planted.bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, r), POST(1, partner));
        STAMP(MPI_Wait(r, &status), ARRIVAL(1, partner));
    } else if (variant_is("waitall") || variant_is("waitany")) {
        for (int p = 0; p < PARTS; p++)
            STAMP(MPI_Irecv(in + p * planted.bytes, planted.bytes, MPI_BYTE, partner, p, MPI_COMM_WORLD, &r[p]),
                  POST(p, partner));
        if (variant_is("waitall"))
            STAMP(MPI_Waitall(PARTS, r, MPI_STATUSES_IGNORE),
                  for (int p = 0; p < PARTS; p++) ARRIVAL(p, partner));
        else
            for (int done = 0, which; done < PARTS; done++)
                STAMP(MPI_Waitany(PARTS, r, &which, &status), ARRIVAL(which, partner));
    } else if (variant_is("persistent")) {
        STAMP(MPI_Start(&persistent), POST(1, partner));
        STAMP(MPI_Wait(&persistent, &status), ARRIVAL(1, partner));
    } else if (variant_is("mprobe")) {
        MPI_Message message;
        STAMP(MPI_Mprobe(partner, 1, MPI_COMM_WORLD, &message, &status), RECV(1, partner));
        STAMP(MPI_Mrecv(in, planted.bytes, MPI_BYTE, &message, &status), (void)0);
    } else {
        unknown_variant();
    }
}

static void step(int i)
{
    work(i);
    if (variant_is("sendrecv"))
        STAMP(MPI_Sendrecv(out, planted.bytes, MPI_BYTE, partner, 1, in, planted.bytes, MPI_BYTE, partner, 1,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              SEND(1, partner), RECV(1, partner));
    else if (sends)
        send_side();
    else
        receive_side();
    result += in[0];
}

static void finish(void)
{
    if (variant_is("persistent"))
        MPI_Request_free(&persistent);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    free(out);
    free(in);
}
