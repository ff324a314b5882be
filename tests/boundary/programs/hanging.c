/* Stands in for an Open MPI mpirun that does not end when its ranks have, in the way that HANGING says:
 *   hangs     the first thread waits for another one, which waits for events that do not come
 *   second    … for another one, which begins a second program after forty seconds
 *   child     … for another one, which waits for a program without a rank
 *   writes    … for another one, which writes what nobody reads for forty seconds
 *   events    the first thread waits for events, and there is one after forty seconds
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *how;
static int code;

static int run(char **words)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        execvp(words[0], words);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void *other(void *unused)
{
    char *wait[] = {"sleep", "40", NULL};
    char *say[] = {"echo", "second program", NULL};
    if (strcmp(how, "hangs") == 0)
        poll(NULL, 0, -1);
    else if (strcmp(how, "second") == 0)
        sleep(40);
    else if (strcmp(how, "child") == 0)
        run(wait);
    else if (strcmp(how, "writes") == 0) {
        static char page[4096];
        for (int i = 0; i < 64; i++)
            if (write(1, page, sizeof page) < 0)
                break;
    }
    run(say);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int ranks = 1, word = 1;
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("mpirun (Open MPI) 4.1.4");
        return 0;
    }
    for (; word < argc && argv[word][0] == '-'; word++)
        if (strcmp(argv[word], "-n") == 0)
            ranks = atoi(argv[++word]);
    for (int rank = 0; rank < ranks; rank++) {
        char text[16];
        sprintf(text, "%d", rank);
        setenv("OMPI_COMM_WORLD_RANK", text, 1);
        int ended = run(argv + word);
        code = code ? code : ended;
    }
    how = getenv("HANGING");
    if (strcmp(how, "events") == 0) {
        poll(NULL, 0, 40000);
        other(NULL);
    } else {
        pthread_create(&thread, NULL, other, NULL);
        pthread_join(thread, NULL);
    }
    return code;
}
