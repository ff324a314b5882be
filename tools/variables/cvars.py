"""Prints the control variables of an MPI library, one JSON list per line: name, kind, value, text. Only name and text for Open MPI."""

import ctypes
import json
import sys

INT, TEXT = ctypes.c_int, ctypes.create_string_buffer
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
provided, count = INT(), INT()
is_open_mpi = hasattr(library, "ompi_mpi_int")
if library.MPI_T_init_thread(0, ctypes.byref(provided)) or library.MPI_T_cvar_get_num(ctypes.byref(count)):
    sys.exit(f"{sys.argv[1]}: no control variables")
for index in range(count.value):
    name, text, name_len, text_len = TEXT(512), TEXT(16384), INT(512), INT(16384)
    verbosity, bind, scope, kind = INT(), INT(), INT(), ctypes.c_void_p()
    datatype = ctypes.c_void_p() if is_open_mpi else INT()
    refs = map(ctypes.byref, (name_len, verbosity, datatype, kind))
    more = map(ctypes.byref, (text_len, bind, scope))
    if library.MPI_T_cvar_get_info(index, name, *refs, text, *more):
        continue
    if is_open_mpi:
        print(json.dumps([name.value.decode(), "text", "", text.value.decode(errors="replace")]))
        continue
    # MPI_Type_size needs MPI_Init; a predefined handle of the MPICH family contains the size.
    size = (datatype.value >> 8) & 0xFF
    handle, elements, value = ctypes.c_void_p(), INT(), ""
    if library.MPI_T_cvar_handle_alloc(index, None, ctypes.byref(handle), ctypes.byref(elements)) == 0:
        room = TEXT(elements.value * max(size, 1) + 64)
        if library.MPI_T_cvar_read(handle, room) == 0:
            if size == 1:
                value = room.raw[: elements.value].split(b"\0")[0].decode(errors="replace")
            elif datatype.value == 0x4C00080B:
                value = ctypes.cast(room, ctypes.POINTER(ctypes.c_double))[0]
            elif elements.value == 1:
                value = int.from_bytes(room.raw[:size], "little", signed=True)
    word = "text" if size == 1 or elements.value != 1 else "float" if datatype.value == 0x4C00080B else "int"
    print(json.dumps([name.value.decode(), word, value, text.value.decode(errors="replace")]))
