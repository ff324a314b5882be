! A number that is being received is printed.
!
! ranks: 2
! expect: buffer.receive-read
! lines: first
! flags: -O0
! bare: openmpi=ends mpich=ends
program checked
    use mpi
    implicit none
    integer :: rank, error, request
    double precision :: energy(3)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    energy = 0
    if (rank == 0) then
        call MPI_Irecv(energy, 3, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request, error)
#ifdef RIGHT
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
#endif
        print *, 'energy', energy(2) ! WRONG
#ifndef RIGHT
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
#endif
    else
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Send(energy, 3, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, error)
    end if
    call MPI_Finalize(error)
end program
