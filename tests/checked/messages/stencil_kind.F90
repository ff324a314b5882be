! A stencil in Fortran that receives its left border as reals.
!
! ranks: 3
! expect: message.datatype
! allow: argument.variable-type
! bare: openmpi=ends mpich=ends
#define MISTAKE KIND
#include "../solvers/stencil.inc"
