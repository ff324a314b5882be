/* A master that takes the results of a round in any order, and the order matters.
 *
 * ranks: 3
 * expect: race.receive
 * allow: deadlock.buffering
 * bare: openmpi=ends mpich=ends
 */
#define MISTAKE ANY_TWICE
#include "../solvers/pool.h"
