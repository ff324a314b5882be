/* Starts threads again and again, two at a time, each of which makes a few calls; some even when they end. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { AT_ONCE = 2, CALLS = 3 };

static pthread_key_t late;

static void send_to_self(int tag) {
    char sent = 1, received;
    MPI_Request request;
    MPI_Irecv(&received, 1, MPI_CHAR, 0, tag, MPI_COMM_SELF, &request);
    MPI_Send(&sent, 1, MPI_CHAR, 0, tag, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A destructor of thread-specific data. */
static void when_it_ends(void *number) {
    send_to_self((int)(long)number);
}

static void *work(void *number) {
    for (int i = 0; i < CALLS; i++) send_to_self((int)(long)number);
    if ((long)number == AT_ONCE) pthread_setspecific(late, number);
    return NULL;
}

int main(int argc, char **argv) {
    int turns = atoi(argv[1]), provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_key_create(&late, when_it_ends);
    for (int turn = 0; turn < turns; turn++) {
        pthread_t threads[AT_ONCE];
        for (long i = 0; i < AT_ONCE; i++) pthread_create(&threads[i], NULL, work, (void *)(i + 1));
        for (int i = 0; i < AT_ONCE; i++) pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    puts("short_threads OK");
    return 0;
}
