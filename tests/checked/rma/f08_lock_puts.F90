! Two origins put to the same place under shared locks.
!
! ranks: 3
! expect: rma.conflict
! bare: openmpi=ends mpich=ends
program f08_lock_puts
  use mpi_f08
  use iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer :: rank, value, place
  type(MPI_Win) :: window
  type(c_ptr) :: base
  integer, pointer :: cells(:)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Win_allocate(32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, window)
  call c_f_pointer(base, cells, [8])
  cells = 0
  value = rank
  place = 2
#ifdef RIGHT
  place = rank
#endif
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank > 0) then
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window)
    call MPI_Put(value, 1, MPI_INTEGER, 0, int(place, MPI_ADDRESS_KIND), 1, MPI_INTEGER, window) ! WRONG
    call MPI_Win_unlock(0, window)
  end if
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Win_free(window)
  call MPI_Finalize()
end program
