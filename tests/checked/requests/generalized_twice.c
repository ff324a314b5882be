/* The operation of a generalised request is reported complete twice.
 * 
 * ranks: 1
 * expect: request.stale
 * not: wheel-impi
 * bare: openmpi=crashes mpich=aborts
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
    MPI_Grequest_complete(request);
#ifndef RIGHT
    MPI_Grequest_complete(request); /* WRONG */
#endif
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
