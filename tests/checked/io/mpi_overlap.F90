! Two ranks write to the same place, with use mpi.
!
! ranks: 2
! expect: io.overlap
! bare: openmpi=ends mpich=ends
program checked
    use mpi
    implicit none
    integer :: rank, error, file, values(4)
    integer(MPI_OFFSET_KIND) :: at
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    values = rank
#ifdef RIGHT
    at = 16 * rank
#else
    at = 0
#endif
    call MPI_File_open(MPI_COMM_WORLD, 'checked.out', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
    call MPI_File_write_at(file, at, values, 4, MPI_INTEGER, MPI_STATUS_IGNORE, error) ! WRONG
    call MPI_File_close(file, error)
    call MPI_Finalize(error)
end program
