! A receive of any source before one of rank 1, which may come first.
!
! ranks: 3
! expect: race.deadlock
! allow: race.receive
! bare: openmpi=ends mpich=ends
program any_named
    use mpi
    implicit none
    integer :: rank, code, got, request(2), values(2)

    call MPI_Init(code)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    got = rank
    if (rank == 0) then
#ifdef RIGHT
        call MPI_Irecv(values(1), 1, MPI_INTEGER, 2, 0, MPI_COMM_WORLD, request(1), code)
#else
        call MPI_Irecv(values(1), 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, request(1), code) ! WRONG
#endif
        call MPI_Irecv(values(2), 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request(2), code)
        call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, code) ! WRONG
    else
        if (rank == 1) call sleep(1)
        call MPI_Send(got, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, code)
    end if
    call MPI_Finalize(code)
end program any_named
