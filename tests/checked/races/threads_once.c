/* Two threads each answer once with the same tag, and the receiver takes the first answer for the first thread's.
 *
 * ranks: 2
 * expect: race.threads
 * lines: all
 * bare: openmpi=ends mpich=ends
 */
#define OWN_MAIN
#include "../checked.h"
#include <pthread.h>

enum { ASKED = 0, ANSWERED = 10, DONE = 20 };

static void *answers(void *which)
{
    int number = *(int *)which, tag = TWIN(ANSWERED, ANSWERED + number), question, ends;
    MPI_Recv(&question, 1, MPI_INT, 1, ASKED + number, WORLD, MPI_STATUS_IGNORE);
    double value = question + number;
    MPI_Send(&value, 1, MPI_DOUBLE, 1, tag, WORLD); /* WRONG */
    MPI_Recv(&ends, 1, MPI_INT, 1, DONE + number, WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    int level, which[2] = {0, 1};
    pthread_t threads[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, answers, &which[i]);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    } else {
        double first, second;
        pause_ms(200);
        for (int i = 0; i < 2; i++)
            MPI_Send(&rank, 1, MPI_INT, 0, ASKED + i, WORLD);
        MPI_Recv(&first, 1, MPI_DOUBLE, 0, ANSWERED, WORLD, MPI_STATUS_IGNORE); /* WRONG */
        MPI_Recv(&second, 1, MPI_DOUBLE, 0, TWIN(ANSWERED, ANSWERED + 1), WORLD, MPI_STATUS_IGNORE); /* WRONG */
        for (int i = 0; i < 2; i++)
            MPI_Send(&rank, 1, MPI_INT, 0, DONE + i, WORLD);
        use(&first);
        use(&second);
    }
    MPI_Finalize();
    return 0;
}
