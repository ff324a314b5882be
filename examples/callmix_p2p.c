/* callmix, part 1: point-to-point and requests. The k-th kind of message has tag k and,
 * unless stated otherwise, k ints. */
#include "callmix.h"

enum {
    SEND = 1, SSEND, BSEND, RSEND, ISEND, ISSEND, IBSEND, IRSEND, SENDRECV, REPLACE,
    SEND_INIT, SSEND_INIT, BSEND_INIT, RSEND_INIT, PROBED, IPROBED, MPROBED, IMPROBED,
    ANY, COMPLETED, CANCELLED, KINDS
};

static int out[64], in[64];

static void fill(const struct ring *r, int kind)
{
    for (int i = 0; i < 64; i++) {
        out[i] = r->rank * 1000 + kind * 10 + i;
        in[i] = -1;
    }
}

static void arrived(const struct ring *r, int kind, const MPI_Status *status)
{
    int got;
    CALL(MPI_Get_count, status, MPI_INT, &got);
    CHECK(got == kind && status->MPI_SOURCE == r->left && status->MPI_TAG == kind);
    CHECK(in[0] == r->left * 1000 + kind * 10 && in[kind] == -1);
}

static void wait_for(const struct ring *r, int kind, MPI_Request *request)
{
    MPI_Status status;
    CALL(MPI_Wait, request, &status);
    arrived(r, kind, &status);
}

static void post(const struct ring *r, int kind, MPI_Request *request)
{
    fill(r, kind);
    CALL(MPI_Irecv, in, 64, MPI_INT, r->left, kind, MPI_COMM_WORLD, request);
}

static void modes(const struct ring *r)
{
    MPI_Request request, sent;
    MPI_Comm world = MPI_COMM_WORLD;
    static char buffer[8192];
    char *detached;
    int bytes;

    post(r, SEND, &request);
    CALL(MPI_Send, out, SEND, MPI_INT, r->right, SEND, world);
    wait_for(r, SEND, &request);
    post(r, SSEND, &request);
    CALL(MPI_Ssend, out, SSEND, MPI_INT, r->right, SSEND, world);
    wait_for(r, SSEND, &request);
    CALL(MPI_Buffer_attach, buffer, sizeof buffer);
    post(r, BSEND, &request);
    CALL(MPI_Bsend, out, BSEND, MPI_INT, r->right, BSEND, world);
    wait_for(r, BSEND, &request);
    post(r, RSEND, &request);
    CALL(MPI_Barrier, world); /* a ready send needs its receive */
    CALL(MPI_Rsend, out, RSEND, MPI_INT, r->right, RSEND, world);
    wait_for(r, RSEND, &request);

    post(r, ISEND, &request);
    CALL(MPI_Isend, out, ISEND, MPI_INT, r->right, ISEND, world, &sent);
    wait_for(r, ISEND, &request);
    CALL(MPI_Wait, &sent, MPI_STATUS_IGNORE);
    post(r, ISSEND, &request);
    CALL(MPI_Issend, out, ISSEND, MPI_INT, r->right, ISSEND, world, &sent);
    wait_for(r, ISSEND, &request);
    CALL(MPI_Wait, &sent, MPI_STATUS_IGNORE);
    post(r, IBSEND, &request);
    CALL(MPI_Ibsend, out, IBSEND, MPI_INT, r->right, IBSEND, world, &sent);
    wait_for(r, IBSEND, &request);
    CALL(MPI_Wait, &sent, MPI_STATUS_IGNORE);
    post(r, IRSEND, &request);
    CALL(MPI_Barrier, world);
    CALL(MPI_Irsend, out, IRSEND, MPI_INT, r->right, IRSEND, world, &sent);
    wait_for(r, IRSEND, &request);
    CALL(MPI_Wait, &sent, MPI_STATUS_IGNORE);
    CALL(MPI_Buffer_detach, &detached, &bytes);
    CHECK(detached == buffer && bytes == (int)sizeof buffer);

    MPI_Status status;
    fill(r, SENDRECV);
    CALL(MPI_Sendrecv, out, SENDRECV, MPI_INT, r->right, SENDRECV, in, 64, MPI_INT, r->left, SENDRECV, world, &status);
    arrived(r, SENDRECV, &status);
    fill(r, REPLACE);
    memcpy(in, out, REPLACE * sizeof(int));
    CALL(MPI_Sendrecv_replace, in, REPLACE, MPI_INT, r->right, REPLACE, r->left, REPLACE, world, &status);
    arrived(r, REPLACE, &status);

    CALL(MPI_Send, out, 1, MPI_INT, MPI_PROC_NULL, 0, world);
    CALL(MPI_Recv, in, 1, MPI_INT, MPI_PROC_NULL, 0, world, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
}

static void persistent(const struct ring *r)
{
    static char buffer[8192];
    char *detached;
    int bytes;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request send[4], recv[4];
    CALL(MPI_Buffer_attach, buffer, sizeof buffer);
    CALL(MPI_Send_init, out, SEND_INIT, MPI_INT, r->right, SEND_INIT, world, &send[0]);
    CALL(MPI_Ssend_init, out, SSEND_INIT, MPI_INT, r->right, SSEND_INIT, world, &send[1]);
    CALL(MPI_Bsend_init, out, BSEND_INIT, MPI_INT, r->right, BSEND_INIT, world, &send[2]);
    CALL(MPI_Rsend_init, out, RSEND_INIT, MPI_INT, r->right, RSEND_INIT, world, &send[3]);
    for (int i = 0; i < 4; i++)
        CALL(MPI_Recv_init, in, 64, MPI_INT, r->left, SEND_INIT + i, world, &recv[i]);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 4; i++) {
            MPI_Status status;
            fill(r, SEND_INIT + i);
            CALL(MPI_Start, &recv[i]);
            CALL(MPI_Barrier, world);
            CALL(MPI_Startall, 1, &send[i]);
            CALL(MPI_Wait, &recv[i], &status);
            arrived(r, SEND_INIT + i, &status);
            CALL(MPI_Wait, &send[i], MPI_STATUS_IGNORE);
        }
    for (int i = 0; i < 4; i++) {
        CALL(MPI_Request_free, &send[i]);
        CALL(MPI_Request_free, &recv[i]);
    }
    CALL(MPI_Buffer_detach, &detached, &bytes);
}

/* After MPI_Probe has seen a message, every other probe for it must see it too. */
static void probes(const struct ring *r)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request, received;
    int flag;

    fill(r, PROBED);
    CALL(MPI_Isend, out, PROBED, MPI_INT, r->right, PROBED, world, &request);
    CALL(MPI_Probe, r->left, PROBED, world, &status);
    CALL(MPI_Recv, in, 64, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, world, &status);
    arrived(r, PROBED, &status);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);

    fill(r, IPROBED);
    CALL(MPI_Isend, out, IPROBED, MPI_INT, r->right, IPROBED, world, &request);
    CALL(MPI_Probe, r->left, IPROBED, world, MPI_STATUS_IGNORE);
    CALL(MPI_Iprobe, r->left, IPROBED, world, &flag, &status);
    CHECK(flag);
    CALL(MPI_Recv, in, 64, MPI_INT, r->left, IPROBED, world, &status);
    arrived(r, IPROBED, &status);
    CALL(MPI_Iprobe, r->left, CANCELLED, world, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);

    fill(r, MPROBED);
    CALL(MPI_Isend, out, MPROBED, MPI_INT, r->right, MPROBED, world, &request);
    CALL(MPI_Mprobe, r->left, MPROBED, world, &message, MPI_STATUS_IGNORE);
    CALL(MPI_Mrecv, in, 64, MPI_INT, &message, &status);
    arrived(r, MPROBED, &status);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);

    fill(r, IMPROBED);
    CALL(MPI_Isend, out, IMPROBED, MPI_INT, r->right, IMPROBED, world, &request);
    CALL(MPI_Probe, r->left, IMPROBED, world, MPI_STATUS_IGNORE);
    CALL(MPI_Improbe, r->left, IMPROBED, world, &flag, &message, MPI_STATUS_IGNORE);
    CHECK(flag);
    CALL(MPI_Imrecv, in, 64, MPI_INT, &message, &received);
    wait_for(r, IMPROBED, &received);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);

    fill(r, ANY);
    CALL(MPI_Isend, out, ANY, MPI_INT, r->right, ANY, world, &request);
    CALL(MPI_Recv, in, 64, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    arrived(r, ANY, &status);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    CALL(MPI_Barrier, world); /* nobody's next message may meet the wildcard */
}

void callmix_p2p(const struct ring *r)
{
    modes(r);
    persistent(r);
    probes(r);
}

/* --- requests ---------------------------------------------------------------------- */

static int answer_query(void *extra, MPI_Status *status)
{
    CALLBACK(MPI_Status_set_elements, status, MPI_INT, *(int *)extra);
    CALLBACK(MPI_Status_set_cancelled, status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int answer_free(void *extra) { return extra ? MPI_SUCCESS : MPI_ERR_OTHER; }

static int answer_cancel(void *extra, int complete) { return extra || complete ? MPI_SUCCESS : MPI_ERR_OTHER; }

/* Four receives and four sends of one int each, all with the tag COMPLETED. */
static void exchange(const struct ring *r, MPI_Request requests[8])
{
    fill(r, COMPLETED);
    for (int i = 0; i < 4; i++)
        CALL(MPI_Irecv, &in[i], 1, MPI_INT, r->left, COMPLETED, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 4; i++)
        CALL(MPI_Isend, &out[i], 1, MPI_INT, r->right, COMPLETED, MPI_COMM_WORLD, &requests[4 + i]);
}

static void exchanged(const struct ring *r)
{
    for (int i = 0; i < 4; i++)
        CHECK(in[i] == r->left * 1000 + COMPLETED * 10 + i);
}

void callmix_requests(const struct ring *r)
{
    MPI_Request requests[8], request;
    MPI_Status statuses[8], status;
    int index, flag, count, indices[8], done;

    exchange(r, requests);
    CALL(MPI_Waitall, 8, requests, statuses);
    exchanged(r);
    CHECK(statuses[2].MPI_SOURCE == r->left);

    exchange(r, requests);
    for (int i = 0; i < 8; i++) {
        CALL(MPI_Waitany, 8, requests, &index, &status);
        CHECK(index >= 0 && index < 8);
    }
    CALL(MPI_Waitany, 8, requests, &index, MPI_STATUS_IGNORE);
    CHECK(index == MPI_UNDEFINED);
    exchanged(r);

    exchange(r, requests);
    for (done = 0; done < 8; done += count)
        CALL(MPI_Waitsome, 8, requests, &count, indices, statuses);
    exchanged(r);

    exchange(r, requests);
    for (int i = 0; i < 8; i++)
        do
            CALL(MPI_Test, &requests[i], &flag, MPI_STATUS_IGNORE);
        while (!flag);
    exchanged(r);

    exchange(r, requests);
    for (done = 0; done < 8; done += flag)
        CALL(MPI_Testany, 8, requests, &index, &flag, &status);
    exchanged(r);

    exchange(r, requests);
    for (done = 0; done < 8; done += count)
        CALL(MPI_Testsome, 8, requests, &count, indices, MPI_STATUSES_IGNORE);
    exchanged(r);

    exchange(r, requests);
    do
        CALL(MPI_Testall, 8, requests, &flag, statuses);
    while (!flag);
    exchanged(r);

    exchange(r, requests);
    do /* does not complete the request: Waitall has eight of them still */
        CALL(MPI_Request_get_status, requests[0], &flag, &status);
    while (!flag);
    CALL(MPI_Waitall, 8, requests, MPI_STATUSES_IGNORE);
    exchanged(r);

    CALL(MPI_Irecv, in, 1, MPI_INT, r->left, CANCELLED, MPI_COMM_WORLD, &request);
    CALL(MPI_Cancel, &request);
    CALL(MPI_Wait, &request, &status);
    CALL(MPI_Test_cancelled, &status, &flag);
    CHECK(flag);

    static int five = 5;
    MPI_Count elements;
    CALL(MPI_Grequest_start, answer_query, answer_free, answer_cancel, &five, &request);
    CALL(MPI_Grequest_complete, request);
    CALL(MPI_Wait, &request, &status);
    CALL(MPI_Get_elements, &status, MPI_INT, &count);
    CALL(MPI_Get_elements_x, &status, MPI_INT, &elements);
    CHECK(count == 5 && elements == 5);
    CALL(MPI_Status_set_elements_x, &status, MPI_INT, 7);
    CALL(MPI_Get_elements_x, &status, MPI_INT, &elements);
    CHECK(elements == 7);
}
