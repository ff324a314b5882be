/* loader: a program without MPI that opens LIBRARY for itself alone (RTLD_LOCAL), which brings its MPI along.
 *
 *   loader LIBRARY ARGUMENTS...      calls its ring_main */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*run)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "ring_main") : NULL;
    if (!run) return fprintf(stderr, "%s\n", dlerror()), 2;
    return run(argc - 1, argv + 1);
}
