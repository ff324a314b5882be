! One array is both buffers of a reduction, with use mpi_f08, which may pass arrays as descriptors.
!
! ranks: 2
! expect: argument.buffers-overlap
! bare: openmpi=aborts mpich=aborts
program checked
    use mpi_f08
    implicit none
    double precision :: values(2, 2), sums(2, 2)
    call MPI_Init()
    values = 1
    sums = 0
#ifdef RIGHT
    call MPI_Allreduce(values, sums, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
#else
    call MPI_Allreduce(values, values, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD) ! WRONG
#endif
    call MPI_Finalize()
end program
