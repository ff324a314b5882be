/* A generalised request is waited for, and no call reports its operation as complete.
 * 
 * ranks: 2
 * expect: deadlock.self
 * bare: openmpi=hangs mpich=hangs
 */
#include "../checked.h"

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void program(void)
{
    MPI_Request request;
    MPI_Grequest_start(query, release, cancel, NULL, &request);
#ifdef RIGHT
    MPI_Grequest_complete(request);
#endif
    stamp();
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG */
}
