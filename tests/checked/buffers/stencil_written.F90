! A stencil in Fortran that changes its first point while it is being sent.
!
! ranks: 3
! expect: buffer.send-written
! bare: openmpi=ends mpich=ends
#define MISTAKE WRITTEN
#include "../solvers/stencil.inc"
