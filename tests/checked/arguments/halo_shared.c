/* A solver that reduces its residual from and into the same variable.
 *
 * ranks: 4
 * expect: argument.buffers-overlap
 * bare: openmpi=ends mpich=aborts
 */
#define MISTAKE SHARED
#include "../solvers/halo.h"
