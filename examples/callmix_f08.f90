! callmix_f08: many MPI procedures through `use mpi_f08`, a known number of times each.
!
!   callmix_f08 [repetitions [tally-prefix]]       default 1; 2 to 64 ranks
!
! The Fortran counterpart of callmix.c: with a prefix each rank writes PREFIX.<rank>,
! lines `MPI_Send 3`. Messages go round a ring (rank r to r + 1); kind k has tag k and k
! integers. ierror is present in some calls. Prints OK.
program callmix_f08
  use mpi_f08
  implicit none
  integer, parameter :: max_ranks = 64
  integer :: rank, nranks, left, right, reps, rep, names, failed, ierror
  integer :: out(2 * max_ranks), in(2 * max_ranks), counts(max_ranks), displs(max_ranks)
  integer :: provided, i, got, total
  integer :: tally(200)
  character(len=40) :: tally_name(200)
  character(len=256) :: argument, prefix
  logical :: flag
  type(MPI_Status) :: status, statuses(4)
  type(MPI_Request) :: request, requests(4)
  type(MPI_Comm) :: comm, other, grid
  type(MPI_Group) :: all, part
  type(MPI_Datatype) :: t, u
  type(MPI_Op) :: op
  type(MPI_Info) :: info
  type(MPI_Win) :: win
  type(MPI_Message) :: message
  type(MPI_Errhandler) :: handler
  integer(kind=MPI_ADDRESS_KIND) :: lower, extent, address, bytes
  integer, asynchronous, save :: window(8)
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=MPI_MAX_ERROR_STRING) :: text
  character(len=64) :: value
  character(len=MPI_MAX_PROCESSOR_NAME) :: host
  double precision :: start

  names = 0
  failed = 0
  reps = 1
  prefix = ' '
  if (command_argument_count() >= 1) then
     call get_command_argument(1, argument)
     read (argument, *) reps
  end if
  if (command_argument_count() >= 2) call get_command_argument(2, prefix)

  call n('MPI_Init_thread'); call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
  call n('MPI_Comm_rank'); call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call n('MPI_Comm_size'); call MPI_Comm_size(MPI_COMM_WORLD, nranks)
  if (nranks > max_ranks) call MPI_Abort(MPI_COMM_WORLD, 2)
  right = mod(rank + 1, nranks)
  left = mod(rank + nranks - 1, nranks)
  call n('MPI_Comm_dup'); call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  do rep = 1, reps
     call point_to_point()
     call requests_and_probes()
     call collectives()
     call objects()
     call one_sided()
  end do
  call n('MPI_Comm_free'); call MPI_Comm_free(comm)
  total = 0
  call n('MPI_Reduce'); call MPI_Reduce(failed, total, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  call n('MPI_Bcast'); call MPI_Bcast(total, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call n('MPI_Finalize'); call MPI_Finalize()
  if (prefix /= ' ') call write_tally(trim(prefix))
  if (rank == 0) write (*, '(a,i0,2a)') 'callmix_f08 ', names, ' procedures ', trim(merge('OK    ', 'FAILED', total == 0))
  if (total /= 0) stop 1

contains

  include 'callmix_tally.inc'

  subroutine fill(kind)
    integer, intent(in) :: kind
    out = rank * 1000 + kind
    in = -1
  end subroutine fill

  subroutine post(kind)
    integer, intent(in) :: kind
    call fill(kind)
    call n('MPI_Irecv'); call MPI_Irecv(in, 20, MPI_INTEGER, left, kind, comm, request)
  end subroutine post

  subroutine arrived(kind)
    integer, intent(in) :: kind
    call n('MPI_Wait'); call MPI_Wait(request, status)
    call received(kind)
  end subroutine arrived

  subroutine received(kind)
    integer, intent(in) :: kind
    call n('MPI_Get_count'); call MPI_Get_count(status, MPI_INTEGER, got)
    call check(got == kind .and. status%MPI_SOURCE == left .and. status%MPI_TAG == kind, 'message')
    call check(in(kind) == left * 1000 + kind .and. in(kind + 1) == -1, 'data')
  end subroutine received

  subroutine point_to_point()
    call post(1)
    call n('MPI_Send'); call MPI_Send(out, 1, MPI_INTEGER, right, 1, comm, ierror)
    call arrived(1)
    call post(2)
    call n('MPI_Ssend'); call MPI_Ssend(out, 2, MPI_INTEGER, right, 2, comm)
    call arrived(2)
    call post(3)
    call n('MPI_Barrier'); call MPI_Barrier(comm, ierror)
    call n('MPI_Rsend'); call MPI_Rsend(out, 3, MPI_INTEGER, right, 3, comm)
    call arrived(3)
    call post(4)
    call n('MPI_Isend'); call MPI_Isend(out, 4, MPI_INTEGER, right, 4, comm, requests(1))
    call arrived(4)
    call n('MPI_Wait'); call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call post(5)
    call n('MPI_Issend'); call MPI_Issend(out, 5, MPI_INTEGER, right, 5, comm, requests(1))
    call arrived(5)
    call n('MPI_Wait'); call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call fill(6)
    call n('MPI_Sendrecv'); call MPI_Sendrecv(out, 6, MPI_INTEGER, right, 6, in, 20, MPI_INTEGER, left, 6, comm, status)
    call received(6)
    call fill(7)
    in(1:7) = out(1:7)
    call n('MPI_Sendrecv_replace'); call MPI_Sendrecv_replace(in, 7, MPI_INTEGER, right, 7, left, 7, comm, status)
    call received(7)
    call n('MPI_Send'); call MPI_Send(out, 1, MPI_INTEGER, MPI_PROC_NULL, 0, comm)

    call n('MPI_Send_init'); call MPI_Send_init(out, 8, MPI_INTEGER, right, 8, comm, requests(1))
    call n('MPI_Recv_init'); call MPI_Recv_init(in, 20, MPI_INTEGER, left, 8, comm, requests(2))
    do i = 1, 2
       call fill(8)
       call n('MPI_Start'); call MPI_Start(requests(2))
       call n('MPI_Startall'); call MPI_Startall(1, requests(1:1))
       call n('MPI_Wait'); call MPI_Wait(requests(2), status)
       call received(8)
       call n('MPI_Wait'); call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    end do
    call n('MPI_Request_free'); call MPI_Request_free(requests(1))
    call n('MPI_Request_free'); call MPI_Request_free(requests(2))
  end subroutine point_to_point

  ! Two receives and two sends of one integer each.
  subroutine exchange()
    call fill(9)
    do i = 1, 2
       call n('MPI_Irecv'); call MPI_Irecv(in(i), 1, MPI_INTEGER, left, 9, comm, requests(i))
    end do
    do i = 1, 2
       call n('MPI_Isend'); call MPI_Isend(out(i), 1, MPI_INTEGER, right, 9, comm, requests(2 + i))
    end do
  end subroutine exchange

  subroutine requests_and_probes()
    integer :: index, done, finished, indices(4)
    call exchange()
    call n('MPI_Waitall'); call MPI_Waitall(4, requests, statuses, ierror)
    call check(statuses(2)%MPI_SOURCE == left .and. in(2) == left * 1000 + 9, 'waitall')
    call exchange()
    call n('MPI_Waitall'); call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
    call exchange()
    do i = 1, 4
       call n('MPI_Waitany'); call MPI_Waitany(4, requests, index, status)
    end do
    call check(index >= 1 .and. index <= 4, 'waitany counts from one')
    call exchange()
    done = 0
    do while (done < 4)
       call n('MPI_Waitsome'); call MPI_Waitsome(4, requests, finished, indices, statuses)
       done = done + finished
    end do
    call exchange()
    do i = 1, 4
       flag = .false.
       do while (.not. flag)
          call n('MPI_Test'); call MPI_Test(requests(i), flag, MPI_STATUS_IGNORE)
       end do
    end do
    call exchange()
    flag = .false.
    do while (.not. flag)
       call n('MPI_Testall'); call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE)
    end do
    call check(in(1) == left * 1000 + 9 .and. in(2) == left * 1000 + 9, 'testall')
    call n('MPI_Irecv'); call MPI_Irecv(in, 1, MPI_INTEGER, left, 19, comm, request)
    call n('MPI_Cancel'); call MPI_Cancel(request)
    call n('MPI_Wait'); call MPI_Wait(request, status)
    call n('MPI_Test_cancelled'); call MPI_Test_cancelled(status, flag)
    call check(flag, 'cancelled')

    call fill(10)
    call n('MPI_Isend'); call MPI_Isend(out, 10, MPI_INTEGER, right, 10, comm, requests(1))
    call n('MPI_Probe'); call MPI_Probe(MPI_ANY_SOURCE, 10, comm, status)
    call n('MPI_Iprobe'); call MPI_Iprobe(status%MPI_SOURCE, 10, comm, flag, MPI_STATUS_IGNORE)
    call check(flag, 'iprobe')
    call n('MPI_Recv'); call MPI_Recv(in, 20, MPI_INTEGER, status%MPI_SOURCE, MPI_ANY_TAG, comm, status)
    call received(10)
    call n('MPI_Wait'); call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call fill(11)
    call n('MPI_Isend'); call MPI_Isend(out, 11, MPI_INTEGER, right, 11, comm, requests(1))
    call n('MPI_Mprobe'); call MPI_Mprobe(left, 11, comm, message, status)
    call n('MPI_Mrecv'); call MPI_Mrecv(in, 20, MPI_INTEGER, message, status)
    call received(11)
    call n('MPI_Wait'); call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call n('MPI_Barrier'); call MPI_Barrier(comm)
  end subroutine requests_and_probes

  subroutine collectives()
    integer :: root
    root = nranks - 1
    do i = 1, nranks
       counts(i) = 1
       displs(i) = i - 1
    end do
    call fill(0)
    if (rank == root) out(1) = 77
    call n('MPI_Bcast'); call MPI_Bcast(out, 1, MPI_INTEGER, root, comm)
    call check(out(1) == 77, 'bcast')
    out = rank + 1
    call n('MPI_Gather'); call MPI_Gather(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, root, comm)
    if (rank == root) call check(in(nranks) == nranks .and. in(1) == 1, 'gather')
    call n('MPI_Gatherv'); call MPI_Gatherv(out, 1, MPI_INTEGER, in, counts, displs, MPI_INTEGER, root, comm)
    if (rank == root) call check(in(nranks) == nranks .and. in(1) == 1, 'gatherv')
    call n('MPI_Scatter'); call MPI_Scatter(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, root, comm)
    call check(in(1) == nranks, 'scatter')
    call n('MPI_Scatterv'); call MPI_Scatterv(out, counts, displs, MPI_INTEGER, in, 1, MPI_INTEGER, root, comm)
    call check(in(1) == nranks, 'scatterv')
    call n('MPI_Allgather'); call MPI_Allgather(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, comm)
    call check(in(1) == 1 .and. in(nranks) == nranks, 'allgather')
    call n('MPI_Allgatherv'); call MPI_Allgatherv(out, 1, MPI_INTEGER, in, counts, displs, MPI_INTEGER, comm)
    call check(in(1) == 1 .and. in(nranks) == nranks, 'allgatherv')
    call n('MPI_Alltoall'); call MPI_Alltoall(out, 1, MPI_INTEGER, in, 1, MPI_INTEGER, comm)
    call check(in(1) == 1 .and. in(nranks) == nranks, 'alltoall')
    call n('MPI_Alltoallv'); call MPI_Alltoallv(out, counts, displs, MPI_INTEGER, in, counts, displs, MPI_INTEGER, comm)
    call check(in(1) == 1 .and. in(nranks) == nranks, 'alltoallv')
    call n('MPI_Reduce'); call MPI_Reduce(out, in, 2, MPI_INTEGER, MPI_SUM, root, comm)
    if (rank == root) call check(in(2) == nranks * (nranks + 1) / 2, 'reduce')
    call n('MPI_Allreduce'); call MPI_Allreduce(out, in, 1, MPI_INTEGER, MPI_MAX, comm, ierror)
    call check(in(1) == nranks, 'allreduce')
    call n('MPI_Allreduce'); call MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INTEGER, MPI_MIN, comm)
    call check(out(1) == 1, 'allreduce in place')
    out = rank + 1
    call n('MPI_Reduce_scatter'); call MPI_Reduce_scatter(out, in, counts, MPI_INTEGER, MPI_SUM, comm)
    call check(in(1) == nranks * (nranks + 1) / 2, 'reduce_scatter')
    call n('MPI_Reduce_scatter_block'); call MPI_Reduce_scatter_block(out, in, 1, MPI_INTEGER, MPI_SUM, comm)
    call check(in(1) == nranks * (nranks + 1) / 2, 'reduce_scatter_block')
    call n('MPI_Scan'); call MPI_Scan(out, in, 1, MPI_INTEGER, MPI_SUM, comm)
    call check(in(1) == (rank + 1) * (rank + 2) / 2, 'scan')
    call n('MPI_Exscan'); call MPI_Exscan(out, in, 1, MPI_INTEGER, MPI_SUM, comm)
    if (rank > 0) call check(in(1) == rank * (rank + 1) / 2, 'exscan')
    call n('MPI_Ibarrier'); call MPI_Ibarrier(comm, request)
    call n('MPI_Wait'); call MPI_Wait(request, MPI_STATUS_IGNORE)
    call n('MPI_Ibcast'); call MPI_Ibcast(out, 1, MPI_INTEGER, 0, comm, request)
    call n('MPI_Wait'); call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(out(1) == 1, 'ibcast')
    call n('MPI_Iallreduce'); call MPI_Iallreduce(out, in, 1, MPI_INTEGER, MPI_SUM, comm, request)
    call n('MPI_Wait'); call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(in(1) == nranks, 'iallreduce')
  end subroutine collectives

  subroutine objects()
    integer :: dims(2), at(2), result, length, position
    logical :: periods(2), keep(2)
    integer :: packed(16)

    call n('MPI_Comm_group'); call MPI_Comm_group(comm, all)
    call n('MPI_Group_size'); call MPI_Group_size(all, got)
    call n('MPI_Group_incl'); call MPI_Group_incl(all, 1, [0], part)
    call n('MPI_Group_rank'); call MPI_Group_rank(part, got)
    call check((got == 0) .eqv. (rank == 0), 'group')
    call n('MPI_Comm_create'); call MPI_Comm_create(comm, part, other)
    if (rank == 0) then
       call n('MPI_Comm_free'); call MPI_Comm_free(other)
    end if
    call n('MPI_Group_free'); call MPI_Group_free(part)
    call n('MPI_Group_free'); call MPI_Group_free(all)
    call n('MPI_Comm_split'); call MPI_Comm_split(comm, mod(rank, 2), rank, other)
    call n('MPI_Comm_compare'); call MPI_Comm_compare(comm, other, result)
    call n('MPI_Comm_set_name'); call MPI_Comm_set_name(other, 'half')
    call n('MPI_Comm_get_name'); call MPI_Comm_get_name(other, name, length)
    call check(name == 'half', 'name')
    call n('MPI_Comm_free'); call MPI_Comm_free(other)

    dims = 0
    periods = [.true., .false.]
    keep = [.true., .false.]
    call n('MPI_Dims_create'); call MPI_Dims_create(nranks, 2, dims)
    call n('MPI_Cart_create'); call MPI_Cart_create(comm, 2, dims, periods, .false., grid)
    call n('MPI_Cart_coords'); call MPI_Cart_coords(grid, rank, 2, at)
    call n('MPI_Cart_rank'); call MPI_Cart_rank(grid, at, got)
    call check(got == rank, 'cart_rank')
    call n('MPI_Cart_shift'); call MPI_Cart_shift(grid, 0, 1, got, result)
    call n('MPI_Cart_sub'); call MPI_Cart_sub(grid, keep, other)
    call n('MPI_Comm_free'); call MPI_Comm_free(other)
    call n('MPI_Comm_free'); call MPI_Comm_free(grid)

    call n('MPI_Type_contiguous'); call MPI_Type_contiguous(3, MPI_INTEGER, t)
    call n('MPI_Type_commit'); call MPI_Type_commit(t, ierror)
    call n('MPI_Type_size'); call MPI_Type_size(t, got)
    call check(got == 12, 'contiguous')
    call n('MPI_Type_free'); call MPI_Type_free(t)
    call n('MPI_Type_vector'); call MPI_Type_vector(2, 1, 3, MPI_INTEGER, t)
    call n('MPI_Type_get_extent'); call MPI_Type_get_extent(t, lower, extent)
    call check(extent == 16, 'vector')
    call n('MPI_Type_dup'); call MPI_Type_dup(t, u)
    call n('MPI_Type_free'); call MPI_Type_free(u)
    call n('MPI_Type_free'); call MPI_Type_free(t)
    call n('MPI_Type_indexed'); call MPI_Type_indexed(2, [1, 2], [0, 2], MPI_INTEGER, t)
    call n('MPI_Type_free'); call MPI_Type_free(t)
    call n('MPI_Type_create_subarray'); call MPI_Type_create_subarray(2, [4, 4], [2, 2], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, t)
    call n('MPI_Type_free'); call MPI_Type_free(t)
    call n('MPI_Type_create_struct')
    call MPI_Type_create_struct(2, [1, 1], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], [MPI_INTEGER, MPI_DOUBLE_PRECISION], t)
    call n('MPI_Type_free'); call MPI_Type_free(t)
    call n('MPI_Type_create_resized'); call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, t)
    call n('MPI_Type_free'); call MPI_Type_free(t)

    position = 0
    out(1:3) = [1, 2, 3]
    call n('MPI_Pack_size'); call MPI_Pack_size(3, MPI_INTEGER, comm, got)
    call n('MPI_Pack'); call MPI_Pack(out, 3, MPI_INTEGER, packed, 64, position, comm)
    position = 0
    call n('MPI_Unpack'); call MPI_Unpack(packed, 64, position, in, 3, MPI_INTEGER, comm)
    call check(in(3) == 3, 'unpack')

    call n('MPI_Op_create'); call MPI_Op_create(keep_larger, .true., op)
    out(1) = rank
    call n('MPI_Allreduce'); call MPI_Allreduce(out, in, 1, MPI_INTEGER, op, comm)
    call check(in(1) == nranks - 1, 'user operation')
    call n('MPI_Op_free'); call MPI_Op_free(op)

    call n('MPI_Info_create'); call MPI_Info_create(info)
    call n('MPI_Info_set'); call MPI_Info_set(info, 'key', 'value')
    call n('MPI_Info_get'); call MPI_Info_get(info, 'key', 64, value, flag)
    call check(flag .and. value == 'value', 'info')
    call n('MPI_Info_free'); call MPI_Info_free(info)
    call n('MPI_Comm_get_attr'); call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, address, flag)
    call check(flag .and. address >= 32767, 'tag_ub')
    call n('MPI_Comm_set_errhandler'); call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
    call n('MPI_Send'); call MPI_Send(out, 1, MPI_INTEGER, nranks + 1, 0, comm, ierror)
    call check(ierror /= MPI_SUCCESS, 'error returned')
    call n('MPI_Error_class'); call MPI_Error_class(ierror, result)
    call n('MPI_Error_string'); call MPI_Error_string(ierror, text, length)
    call check(result == MPI_ERR_RANK .and. length > 0, 'error class')
    call n('MPI_Comm_get_errhandler'); call MPI_Comm_get_errhandler(comm, handler)
    call n('MPI_Comm_set_errhandler'); call MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL)

    start = MPI_Wtime()
    call n('MPI_Wtime')
    call check(MPI_Wtime() >= start .and. MPI_Wtick() > 0, 'clock')
    call n('MPI_Wtime')
    call n('MPI_Wtick')
    call n('MPI_Get_processor_name'); call MPI_Get_processor_name(host, length)
    call n('MPI_Get_version'); call MPI_Get_version(got, result)
    call n('MPI_Initialized'); call MPI_Initialized(flag)
    call check(flag .and. got >= 3, 'environment')
    call n('MPI_Get_address'); call MPI_Get_address(window, address)
    call n('MPI_Pcontrol'); call MPI_Pcontrol(1)
  end subroutine objects

  subroutine one_sided()
    bytes = 32
    window = 0
    call n('MPI_Win_create'); call MPI_Win_create(window, bytes, 4, MPI_INFO_NULL, comm, win)
    call n('MPI_Win_fence'); call MPI_Win_fence(0, win)
    address = 0
    out(1) = rank + 1
    call n('MPI_Put'); call MPI_Put(out, 1, MPI_INTEGER, right, address, 1, MPI_INTEGER, win)
    call n('MPI_Win_fence'); call MPI_Win_fence(0, win)
    call check(window(1) == left + 1, 'put')
    call n('MPI_Get'); call MPI_Get(in, 1, MPI_INTEGER, right, address, 1, MPI_INTEGER, win)
    call n('MPI_Win_fence'); call MPI_Win_fence(0, win)
    call check(in(1) == rank + 1, 'get')
    call n('MPI_Win_lock'); call MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win)
    address = 1
    call n('MPI_Accumulate'); call MPI_Accumulate(out, 1, MPI_INTEGER, right, address, 1, MPI_INTEGER, MPI_SUM, win)
    call n('MPI_Win_flush'); call MPI_Win_flush(right, win)
    call n('MPI_Win_unlock'); call MPI_Win_unlock(right, win)
    call n('MPI_Barrier'); call MPI_Barrier(comm)
    call n('MPI_Win_lock'); call MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win)
    call check(window(2) == left + 1, 'accumulate')
    call n('MPI_Win_unlock'); call MPI_Win_unlock(rank, win)
    call n('MPI_Win_free'); call MPI_Win_free(win)
  end subroutine one_sided

  subroutine keep_larger(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    if (datatype == MPI_INTEGER) b = max(a, b)
  end subroutine keep_larger
end program callmix_f08
