! A stencil in Fortran that receives its left border as reals.
!
! ranks: 3
! expect: message.datatype
! bare: openmpi=ends mpich=ends
#define MISTAKE KIND
#include "../solvers/stencil.inc"
