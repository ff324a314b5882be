! Views from Fortran whose displacements are too near to each other: what ranks write there at their own file pointers overlaps.
!
! ranks: 2
! expect: io.overlap
! bare: openmpi=ends mpich=ends
program checked
    use mpi
    implicit none
    integer :: rank, error, file, column, values(100)
    integer(MPI_OFFSET_KIND) :: at
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    values = rank
#ifdef RIGHT
    at = 40 * rank
#else
    at = 36 * rank
#endif
    call MPI_Type_vector(10, 10, 20, MPI_INTEGER, column, error)
    call MPI_Type_commit(column, error)
    call MPI_File_open(MPI_COMM_WORLD, 'checked.out', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
    call MPI_File_set_view(file, at, MPI_INTEGER, column, 'native', MPI_INFO_NULL, error)
    call MPI_File_write_all(file, values, 100, MPI_INTEGER, MPI_STATUS_IGNORE, error) ! WRONG
    call MPI_File_close(file, error)
    call MPI_Type_free(column, error)
    call MPI_Finalize(error)
end program
