/* pool.h: a master hands out tasks, workers send results. A program that includes it says with `#define MISTAKE NAME`
 * which one of the mistakes below its wrong twin makes; the right twin makes none. */
#include "../checked.h"

#define STOP_ONE 1
#define LATE_STOP 2
#define LOST 3
#define REUSED 4
#define ANY_TWICE 5
#ifdef RIGHT
#define IS(mistake) 0
#else
#define IS(mistake) (MISTAKE == mistake)
#endif

enum { TASK = 1, RESULT, LOG, TASKS = 12, WORDS = 32 };

static void work(int first)
{
    int task[WORDS], result[2][WORDS], sent = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    for (;;) {
        MPI_Recv(task, WORDS, MPI_INT, 0, TASK, WORLD, MPI_STATUS_IGNORE); /* WRONG: pool_stop_one, pool_late_stop */
        if (task[0] < 0)
            break;
        int *room = result[IS(REUSED) ? 0 : sent % 2];
#if !IS(REUSED)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
        for (int i = 0; i < WORDS; i++)
            room[i] = task[i] * task[i] + first;
        use(room);
#if IS(REUSED)
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WRONG: pool_reused */
#endif
        MPI_Issend(room, WORDS, MPI_INT, 0, RESULT, WORLD, &request); /* WRONG: pool_reused */
        sent++;
#if IS(LOST)
        if (sent == 1)
            MPI_Send(&sent, 1, MPI_INT, 0, LOG, WORLD); /* WRONG: pool_lost */
#endif
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void give(int worker, int value)
{
    int task[WORDS];
    for (int i = 0; i < WORDS; i++)
        task[i] = value;
    MPI_Send(task, WORDS, MPI_INT, worker, TASK, WORLD);
}

/* Rounds: a task to each worker, a result of each. Before the results of a round, the next round's tasks. */
static void hand_out(void)
{
    int result[WORDS], workers = size - 1, total = 0;
    for (int worker = 1; worker < size; worker++)
        give(worker, worker);
    for (int task = workers; task < TASKS; task += workers) {
        for (int worker = 1; worker < size; worker++)
            give(worker, task + worker);
        for (int worker = 1; worker < size; worker++) {
            int from = IS(ANY_TWICE) ? MPI_ANY_SOURCE : worker;
            MPI_Recv(result, WORDS, MPI_INT, from, RESULT, WORLD, MPI_STATUS_IGNORE); /* WRONG: pool_any_twice */
            total = total * 3 + result[0];
        }
    }
#if IS(LATE_STOP)
    /* One result for each worker is still to come; one more is awaited of the last. */
    for (int n = 0; n <= workers; n++)
        MPI_Recv(result, WORDS, MPI_INT, n < workers ? n + 1 : workers, RESULT, WORLD, MPI_STATUS_IGNORE); /* WRONG: pool_late_stop */
#else
    for (int worker = 1; worker < size; worker++) {
        int from = IS(ANY_TWICE) ? MPI_ANY_SOURCE : worker;
        MPI_Recv(result, WORDS, MPI_INT, from, RESULT, WORLD, MPI_STATUS_IGNORE); /* WRONG: pool_any_twice */
    }
#endif
    for (int worker = 1; worker < (IS(STOP_ONE) ? size - 1 : size); worker++)
        give(worker, -1);
    use(&total);
}

static void program(void)
{
    if (rank == 0)
        hand_out();
    else
        work(rank);
    MPI_Barrier(WORLD); /* WRONG: pool_stop_one */
}
