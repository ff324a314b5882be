! The same from Fortran, whose handles are others.
program groups
  use mpi
  implicit none
  integer :: ierror, rank, size, win, world, group, i, step, target(1), value
  integer(kind=MPI_ADDRESS_KIND) :: bytes, nowhere
  integer :: memory(1)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  bytes = 4
  nowhere = 0
  value = rank
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
  call MPI_Comm_group(MPI_COMM_WORLD, world, ierror)
  do i = 0, 5
    step = 1 + mod(i, size - 1)
    target(1) = mod(rank + size - step, size)
    call MPI_Group_incl(world, 1, target, group, ierror)
    call MPI_Win_post(group, 0, win, ierror)
    call MPI_Group_free(group, ierror)
    target(1) = mod(rank + step, size)
    call MPI_Group_incl(world, 1, target, group, ierror)
    call MPI_Win_start(group, 0, win, ierror)
    call MPI_Group_free(group, ierror)
    call MPI_Put(value, 1, MPI_INTEGER, target(1), nowhere, 1, MPI_INTEGER, win, ierror)
    call MPI_Win_complete(win, ierror)
    call MPI_Win_wait(win, ierror)
  end do
  call MPI_Win_post(MPI_GROUP_EMPTY, 0, win, ierror)
  call MPI_Win_wait(win, ierror)
  call MPI_Group_free(world, ierror)
  call MPI_Win_free(win, ierror)
  call MPI_Finalize(ierror)
end program
