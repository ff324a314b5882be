/* A solver that receives a halo row of doubles as longs.
 *
 * ranks: 4
 * expect: message.datatype
 * bare: openmpi=ends mpich=ends
 */
#define MISTAKE TYPE
#include "../solvers/halo.h"
