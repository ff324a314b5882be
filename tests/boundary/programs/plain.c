/* plain: no MPI at all. */
#include <stdio.h>

int main(void)
{
    puts("plain OK");
    return 0;
}
