! A read of a file that was opened for writing, with use mpi_f08.
!
! ranks: 2
! expect: file.mode
! bare: openmpi=aborts mpich=aborts
program checked
    use mpi_f08
    implicit none
    integer :: rank, values(4), mode
    integer(MPI_OFFSET_KIND) :: at
    type(MPI_File) :: file
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    values = rank
    at = 16 * rank
#ifdef RIGHT
    mode = MPI_MODE_RDWR
#else
    mode = MPI_MODE_WRONLY
#endif
    call MPI_File_open(MPI_COMM_WORLD, 'checked.out', MPI_MODE_CREATE + mode, MPI_INFO_NULL, file)
    call MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL)
    call MPI_File_write_at(file, at, values, 4, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_read_at(file, at, values, 4, MPI_INTEGER, MPI_STATUS_IGNORE) ! WRONG
    call MPI_File_close(file)
    call MPI_Finalize()
end program
