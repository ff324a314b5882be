! A stencil in Fortran in which each rank receives from the left before anybody has sent.
!
! ranks: 3
! expect: deadlock.cycle
! bare: openmpi=hangs mpich=hangs
#define MISTAKE CROSSED
#include "../solvers/stencil.inc"
