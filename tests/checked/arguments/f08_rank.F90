! A send to a rank that does not exist, with use mpi_f08.
!
! ranks: 2
! expect: argument.rank
! bare: openmpi=aborts mpich=aborts
program checked
    use mpi_f08
    implicit none
    integer :: rank, value, there
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    value = rank
#ifdef RIGHT
    there = 1
#else
    there = 2
#endif
    if (rank == 0) then
        call MPI_Send(value, 1, MPI_INTEGER, there, 0, MPI_COMM_WORLD) ! WRONG
    else
        call MPI_Recv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
    call MPI_Finalize()
end program
