! A communicator that is never freed, with use mpi_f08.
!
! ranks: 2
! expect: leak.communicator
! bare: openmpi=ends mpich=ends
program checked
    use mpi_f08
    implicit none
    type(MPI_Comm) :: other
    call MPI_Init()
    call MPI_Comm_dup(MPI_COMM_WORLD, other) ! WRONG
    call MPI_Barrier(other)
#ifdef RIGHT
    call MPI_Comm_free(other)
#endif
    call MPI_Finalize()
end program
