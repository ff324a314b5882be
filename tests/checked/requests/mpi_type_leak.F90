! A datatype that is never freed, with use mpi.
!
! ranks: 2
! expect: leak.datatype
! bare: openmpi=ends mpich=ends
program checked
    use mpi
    implicit none
    integer :: error, column
    call MPI_Init(error)
    call MPI_Type_vector(4, 1, 8, MPI_DOUBLE_PRECISION, column, error) ! WRONG
    call MPI_Type_commit(column, error)
#ifdef RIGHT
    call MPI_Type_free(column, error)
#endif
    call MPI_Finalize(error)
end program
