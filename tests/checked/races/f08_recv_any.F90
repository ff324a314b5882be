! A receive of any source that two messages fit, with use mpi_f08.
!
! ranks: 3
! expect: race.receive
! bare: openmpi=ends mpich=ends
program checked
    use mpi_f08
    implicit none
    integer :: rank, n, values(2), from
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) then
        do n = 1, 2
#ifdef RIGHT
            from = n
#else
            from = MPI_ANY_SOURCE
#endif
            call MPI_Recv(values(n), 1, MPI_INTEGER, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! WRONG
        end do
    else
        call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD)
    end if
    call MPI_Finalize()
end program
