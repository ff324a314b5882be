! The same array for both buffers, which Fortran forbids as well.
!
! ranks: 2
! expect: argument.buffers-overlap
! bare: openmpi=aborts mpich=aborts
program checked
    implicit none
    include 'mpif.h'
    integer :: error
    double precision :: total(2)
    call MPI_Init(error)
    total = 1
#ifdef RIGHT
    call MPI_Allreduce(MPI_IN_PLACE, total, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
#else
    call MPI_Allreduce(total, total, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! WRONG
#endif
    call MPI_Finalize(error)
end program
