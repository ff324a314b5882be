! A stencil in Fortran that never frees its communicator.
!
! ranks: 3
! expect: leak.communicator
! bare: openmpi=ends mpich=ends
#define MISTAKE KEPT
#include "../solvers/stencil.inc"
