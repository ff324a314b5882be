/* A pipeline whose receives are half as long as its sends.
 *
 * ranks: 3
 * expect: message.truncated
 * bare: openmpi=aborts mpich=aborts
 */
#define MISTAKE SHIFTED
#include "../solvers/pipe.h"
