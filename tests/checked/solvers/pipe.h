/* pipe.h: a pipeline of ranks; each takes a block of the one before it, adds to it and passes it on, with persistent
 * requests and two buffers. A program that includes it says with `#define MISTAKE NAME` which one of the mistakes below
 * its wrong twin makes; the right twin makes none. */
#include "../checked.h"

#define STARTED 1
#define TOUCHED 2
#define ORDER 3
#define SHIFTED 4
#ifdef RIGHT
#define IS(mistake) 0
#else
#define IS(mistake) (MISTAKE == mistake)
#endif

enum { BLOCKS = 8, WORDS = 256 };

static void program(void)
{
    int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, after = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    int in[2][WORDS], out[2][WORDS];
    MPI_Request take[2], pass[2];
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    if (IS(ORDER) && rank == 0)
        before = size - 1;
    if (IS(ORDER) && rank == size - 1)
        after = 0;
    for (int n = 0; n < 2; n++) {
        MPI_Recv_init(in[n], IS(SHIFTED) ? WORDS / 2 : WORDS, MPI_INT, before, n, WORLD, &take[n]); /* WRONG: pipe_shifted */
        MPI_Ssend_init(out[n], WORDS, MPI_INT, after, n, WORLD, &pass[n]); /* WRONG: pipe_shifted, pipe_touched */
    }
    MPI_Start(&take[0]); /* WRONG: pipe_shifted */
    for (int block = 0; block < BLOCKS; block++) {
        int n = block % 2;
        if (block + 1 < BLOCKS)
            MPI_Start(&take[1 - n]); /* WRONG: pipe_shifted */
        MPI_Wait(&take[n], MPI_STATUS_IGNORE); /* WRONG: pipe_order, pipe_shifted */
        /* The last message of this buffer has to be gone. */
        if (block >= 2 && !IS(STARTED) && !IS(TOUCHED))
            MPI_Wait(&pass[n], MPI_STATUS_IGNORE);
        if (rank == size - 1)
            work_ms(20);
        for (int i = 0; i < WORDS; i++)
            out[n][i] = in[n][i] + block + rank + 1;
        use(out);
        if (block >= 2 && IS(TOUCHED))
            MPI_Wait(&pass[n], MPI_STATUS_IGNORE); /* WRONG: pipe_touched */
        MPI_Start(&pass[n]); /* WRONG: pipe_started, pipe_touched, pipe_shifted */
    }
    MPI_Waitall(2, pass, MPI_STATUSES_IGNORE);
    for (int n = 0; n < 2; n++) {
        MPI_Request_free(&take[n]);
        MPI_Request_free(&pass[n]);
    }
    MPI_Barrier(WORLD);
}
