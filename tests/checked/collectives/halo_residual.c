/* A solver in which ranks without any change leave out the reduction.
 *
 * ranks: 4
 * expect: collective.call | collective.root | deadlock.cycle | deadlock.collective
 * allow: collective.missing deadlock.ended
 * bare: openmpi=hangs mpich=hangs
 */
#define MISTAKE RESIDUAL
#include "../solvers/halo.h"
