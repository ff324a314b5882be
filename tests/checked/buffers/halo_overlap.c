/* A solver that receives a halo row where it sends one from.
 *
 * ranks: 4
 * expect: buffer.in-use
 * allow: buffer.receive-written buffer.send-written
 * bare: openmpi=ends mpich=ends
 */
#define MISTAKE OVERLAP
#include "../solvers/halo.h"
