! A loop of tests that nothing can make succeed, with use mpi_f08.
!
! ranks: 2
! expect: deadlock.polling
! bare: openmpi=hangs mpich=hangs
program checked
    use mpi_f08
    implicit none
    integer :: rank, mine
    integer, asynchronous :: theirs
    logical :: done
    type(MPI_Request) :: request
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    mine = rank
    call MPI_Irecv(theirs, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, request)
#ifdef RIGHT
    call MPI_Send(mine, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD)
#endif
    ! gfortran takes the first call of a loop for a part of the line before it.
    do ! WRONG
        call MPI_Test(request, done, MPI_STATUS_IGNORE) ! WRONG
        if (done) exit
    end do
#ifndef RIGHT
    call MPI_Send(mine, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD)
#endif
    call MPI_Finalize()
end program
