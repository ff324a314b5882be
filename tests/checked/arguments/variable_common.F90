! More is received than the rest of a common block holds. What its members have together may be sent at once.
!
! ranks: 2
! flags: -O0
! expect: argument.variable-short
! bare: openmpi=ends mpich=ends
module behind
    implicit none
    integer :: room(64) = 0
end module

program checked
    use behind
    implicit none
    include 'mpif.h'
    integer :: rank, error, status(MPI_STATUS_SIZE), n
    double precision :: a(10), b(6)
    common /grid/ a, b
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    a = rank
    b = rank
    call MPI_Bcast(a, 16, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
    n = 6
#ifndef RIGHT
    n = 7
#endif
    if (rank == 0) then
        call MPI_Send(a, n, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, error)
    else
        call MPI_Recv(b, n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, status, error) ! WRONG
    end if
    room(1) = int(b(1))
    call MPI_Finalize(error)
end program
