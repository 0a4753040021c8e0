! One program for the three Fortran bindings (-DBINDING_MPIF_H, -DBINDING_MPI, -DBINDING_MPI_F08):
! a tiled view written and read back collectively, sizes, hints, and errors: a handler written in
! Fortran on a file and on MPI_FILE_NULL, and the sentence that belongs to a code. Handlers are
! where the bindings of the MPIs take ways of their own, so the (file, code) they get is compared.
!
! usage: file_access <file>; the environment variable EXPECT_MPIIO is `tributary` or `stock`
#if defined(BINDING_MPI_F08)
#define HANDLE(kind) type(kind)
#define STATUS_VARIABLE type(MPI_Status)
#define NUMBER(handle) handle%MPI_VAL
#else
#define HANDLE(kind) integer
#define STATUS_VARIABLE integer, dimension(MPI_STATUS_SIZE)
#define NUMBER(handle) handle
#endif
#if defined(BINDING_MPI_F08)
#define USE_BINDING use mpi_f08
#define INCLUDE_BINDING
#elif defined(BINDING_MPI)
#define USE_BINDING use mpi
#define INCLUDE_BINDING
#else
#define USE_BINDING
#define INCLUDE_BINDING include 'mpif.h'
#endif

! What the error handler saw last.
module seen
  implicit none
  integer :: calls = 0, file_number = -1, code_seen = -1
end module seen

subroutine remember_error(file, code)
  USE_BINDING
  use seen
  implicit none
  INCLUDE_BINDING
  HANDLE(MPI_File) :: file
  integer :: code
  calls = calls + 1
  file_number = NUMBER(file)
  code_seen = code
end subroutine remember_error

program file_access
  USE_BINDING
  use seen
  implicit none
  INCLUDE_BINDING
  interface
    subroutine remember_error(file, code)
#if defined(BINDING_MPI_F08)
      use mpi_f08
#endif
      implicit none
      HANDLE(MPI_File) :: file
      integer :: code
    end subroutine remember_error
  end interface

  integer, parameter :: rows = 6, columns_per_rank = 4
  integer :: rank, ranks, ierr, i
  character(len=1024) :: path

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, path)

  call tiles()
  call handler_on_a_file()
  call handler_on_failing_open()
  call sentences()

  call MPI_BARRIER(MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    call MPI_FILE_DELETE(path, MPI_INFO_NULL, ierr)
    call check(ierr == MPI_SUCCESS, 'delete')
  end if
  call MPI_FINALIZE(ierr)

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    integer :: ignored
    if (condition) return
    write (0, '(a, i0, 2a)') 'FAIL on rank ', rank, ': ', what
    call MPI_ABORT(MPI_COMM_WORLD, 1, ignored)
  end subroutine check

  ! Nobody may pass with the wrong MPI-IO.
  subroutine check_who_serves(file)
    HANDLE(MPI_File), intent(in) :: file
    HANDLE(MPI_Info) :: info
    character(len=32) :: expected
    character(len=MPI_MAX_INFO_VAL) :: kind_of_file
    logical :: found
    kind_of_file = ''
    call get_environment_variable('EXPECT_MPIIO', expected)
    call check(expected == 'tributary' .or. expected == 'stock', 'EXPECT_MPIIO is not set')
    call MPI_FILE_GET_INFO(file, info, ierr)
    call check(ierr == MPI_SUCCESS, 'get_info')
    call MPI_INFO_GET(info, 'romio_filesystem_type', MPI_MAX_INFO_VAL, kind_of_file, found, ierr)
    call check((kind_of_file(1:9) == 'TRIBUTARY') .eqv. (expected == 'tributary'), 'wrong MPI-IO')
    call MPI_INFO_FREE(info, ierr)
  end subroutine check_who_serves

  ! Columns-first order: each rank owns some columns of every row, scattered in the file because
  ! the array is stored transposed (MPI_ORDER_C).
  subroutine tiles()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: tile
    STATUS_VARIABLE :: status
    integer :: mine(columns_per_rank * rows), back(columns_per_rank * rows), counted
    integer(kind=MPI_OFFSET_KIND) :: start, file_bytes
    start = 0
    mine = [(1000 * rank + i, i=1, size(mine))]
    back = -1
    call MPI_FILE_OPEN(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, &
                       file, ierr)
    call check(ierr == MPI_SUCCESS, 'open')
    call check_who_serves(file)
    call MPI_TYPE_CREATE_SUBARRAY(2, [rows, columns_per_rank * ranks], [rows, columns_per_rank], &
                                  [0, columns_per_rank * rank], MPI_ORDER_C, MPI_INTEGER, &
                                  tile, ierr)
    call MPI_TYPE_COMMIT(tile, ierr)
    call MPI_FILE_SET_VIEW(file, start, MPI_INTEGER, tile, 'native', MPI_INFO_NULL, ierr)
    call check(ierr == MPI_SUCCESS, 'set_view')
    call MPI_FILE_WRITE_AT_ALL(file, start, mine, size(mine), MPI_INTEGER, status, ierr)
    call check(ierr == MPI_SUCCESS, 'write_at_all')
    call MPI_GET_COUNT(status, MPI_INTEGER, counted, ierr)
    call check(counted == size(mine), 'count of write_at_all')
    call MPI_FILE_READ_AT_ALL(file, start, back, size(back), MPI_INTEGER, status, ierr)
    call check(ierr == MPI_SUCCESS, 'read_at_all')
    call check(all(back == mine), 'data read back through the view')
    call MPI_TYPE_FREE(tile, ierr)
    call MPI_BARRIER(MPI_COMM_WORLD, ierr)
    call MPI_FILE_GET_SIZE(file, file_bytes, ierr)
    call check(file_bytes == 4 * rows * columns_per_rank * ranks, 'get_size')
    call MPI_FILE_CLOSE(file, ierr)
    call check(ierr == MPI_SUCCESS .and. file == MPI_FILE_NULL, 'close')
    call check_places()
  end subroutine tiles

  ! The bytes on disk, without MPI: element (row, column) of the whole array.
  subroutine check_places()
    integer :: unit, row, column, value, owner, expected
    open (newunit=unit, file=trim(path), access='stream', form='unformatted', status='old', &
          action='read')
    do row = 0, rows - 1
      do column = 0, columns_per_rank * ranks - 1
        read (unit) value
        owner = column / columns_per_rank
        expected = 1000 * owner + row * columns_per_rank + mod(column, columns_per_rank) + 1
        call check(value == expected, 'bytes in the file')
      end do
    end do
    close (unit)
  end subroutine check_places

  ! A negative offset is an error of the call, and the handler of that file hears of it.
  subroutine handler_on_a_file()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Errhandler) :: handler, set
    STATUS_VARIABLE :: status
    integer :: values(4), code, error_class
    integer(kind=MPI_OFFSET_KIND) :: negative
    negative = -1
    values = 0
    call MPI_FILE_OPEN(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, file, ierr)
    call check(ierr == MPI_SUCCESS, 'open again')
    call MPI_FILE_GET_ERRHANDLER(file, set, ierr)
    call check(set == MPI_ERRORS_RETURN, 'the default handler of files')
    call MPI_FILE_CREATE_ERRHANDLER(remember_error, handler, ierr)
    call check(ierr == MPI_SUCCESS, 'create_errhandler')
    call MPI_FILE_SET_ERRHANDLER(file, handler, ierr)
    call check(ierr == MPI_SUCCESS, 'set_errhandler')
    call MPI_FILE_GET_ERRHANDLER(file, set, ierr)
    call check(set == handler, 'get_errhandler')
    call MPI_ERRHANDLER_FREE(set, ierr)
    call MPI_ERRHANDLER_FREE(handler, ierr) ! it lives on while the file uses it
    calls = 0
    call MPI_FILE_WRITE_AT(file, negative, values, 4, MPI_INTEGER, status, code)
    call check(code /= MPI_SUCCESS, 'a negative offset is an error')
    call check(calls == 1, 'the handler of the file is called once')
    call check(file_number == NUMBER(file), 'the handler gets the handle of the file')
    call check(code_seen == code, 'the handler gets the code')
    call MPI_ERROR_CLASS(code, error_class, ierr)
    call check(error_class == MPI_ERR_ARG, 'class of a negative offset')
    call MPI_FILE_CALL_ERRHANDLER(file, MPI_ERR_IO, ierr)
    call check(calls == 2 .and. code_seen == MPI_ERR_IO, 'call_errhandler')
    call MPI_FILE_SET_ERRHANDLER(file, MPI_ERRORS_RETURN, ierr)
    call MPI_FILE_WRITE_AT(file, negative, values, 4, MPI_INTEGER, status, ierr)
    call check(ierr /= MPI_SUCCESS .and. calls == 2, 'the handler is out of use')
    call MPI_FILE_CLOSE(file, ierr)
    call check(ierr == MPI_SUCCESS, 'close again')
  end subroutine handler_on_a_file

  ! An open that fails has no file: the handler of MPI_FILE_NULL is called.
  subroutine handler_on_failing_open()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Errhandler) :: handler
    integer :: code, error_class
    call MPI_FILE_CREATE_ERRHANDLER(remember_error, handler, ierr)
    call MPI_FILE_SET_ERRHANDLER(MPI_FILE_NULL, handler, ierr)
    call check(ierr == MPI_SUCCESS, 'set_errhandler on MPI_FILE_NULL')
    calls = 0
    call MPI_FILE_OPEN(MPI_COMM_WORLD, trim(path)//'.missing', MPI_MODE_RDONLY, MPI_INFO_NULL, &
                       file, code)
    call MPI_ERROR_CLASS(code, error_class, ierr)
    call check(error_class == MPI_ERR_NO_SUCH_FILE, 'class of a missing file')
    call check(calls == 1, 'the handler of MPI_FILE_NULL is called once')
    call check(file_number == NUMBER(MPI_FILE_NULL), 'the handler gets MPI_FILE_NULL')
    call check(code_seen == code, 'the handler gets the code of open')
    call MPI_FILE_SET_ERRHANDLER(MPI_FILE_NULL, MPI_ERRORS_RETURN, ierr)
    call MPI_ERRHANDLER_FREE(handler, ierr)
  end subroutine handler_on_failing_open

  subroutine sentences()
    HANDLE(MPI_File) :: file
    character(len=MPI_MAX_ERROR_STRING) :: sentence
    character(len=32) :: expected
    integer :: code, length
    call MPI_FILE_OPEN(MPI_COMM_WORLD, trim(path)//'.missing', MPI_MODE_RDONLY, MPI_INFO_NULL, &
                       file, code)
    call check(code /= MPI_SUCCESS, 'open of a missing file')
    sentence = ''
    call MPI_ERROR_STRING(code, sentence, length, ierr)
    call check(ierr == MPI_SUCCESS .and. length > 0, 'error_string')
    call check(len_trim(sentence) == length, 'length of the error string')
    call get_environment_variable('EXPECT_MPIIO', expected)
    if (expected == 'tributary') call check(index(sentence, '.missing') > 0, &
                                            'the sentence names the file: '//trim(sentence))
  end subroutine sentences
end program file_access
