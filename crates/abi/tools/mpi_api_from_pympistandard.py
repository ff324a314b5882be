#!/usr/bin/env python3
"""Writes ../mpi_api.toml: the whole MPI-5.0 interface as one flat table.

Usage: pip install pympistandard==0.2.0 && ./mpi_api_from_pympistandard.py [MPI31_HEADER]

`pympistandard` is the MPI Forum's machine-readable standard. This script keeps what a tool
needs to know of it: every function, its parameters with kind and direction, the width of
each kind in C, in `_c` (large count) and in Fortran, and the probe groups a call belongs to.

Function ids are what rank files store, so they never change: an existing mpi_api.toml is
read first and its ids are kept; new functions get the next free ones.

MPI31_HEADER is the `mpi.h` of an MPI that implements exactly MPI-3.1 (Open MPI 4.1); names it
does not declare are marked `post31`: programs test for them by weak reference, so the collector
must not show them when the MPI lacks them. Without the argument the marks of the existing table stay.
"""

import re
import sys
import tomllib
from pathlib import Path

import pympistandard as std
from pympistandard.storage import KINDS

TABLE = Path(__file__).resolve().parent.parent / "mpi_api.toml"

# Removed in MPI-3.0 but still exported by every library and called by old programs.
# name -> parameters in the notation of the table
REMOVED = {
    "MPI_Address": ["location:BUFFER:in", "address:ATTRIBUTE_VAL:out"],
    "MPI_Errhandler_create": ["function:FUNCTION:in", "errhandler:ERRHANDLER:out"],
    "MPI_Errhandler_get": ["comm:COMMUNICATOR:in", "errhandler:ERRHANDLER:out"],
    "MPI_Errhandler_set": ["comm:COMMUNICATOR:in", "errhandler:ERRHANDLER:in"],
    "MPI_Type_extent": ["datatype:DATATYPE:in", "extent:DISPLACEMENT:out"],
    "MPI_Type_hindexed": ["count:ARRAY_LENGTH_NNI:in", "array_of_blocklengths:ARRAY_LENGTH_NNI:in:a",
                          "array_of_displacements:DISPLACEMENT:in:a", "oldtype:DATATYPE:in", "newtype:DATATYPE:out"],
    "MPI_Type_hvector": ["count:ARRAY_LENGTH_NNI:in", "blocklength:ARRAY_LENGTH_NNI:in",
                         "stride:DISPLACEMENT:in", "oldtype:DATATYPE:in", "newtype:DATATYPE:out"],
    "MPI_Type_lb": ["datatype:DATATYPE:in", "displacement:DISPLACEMENT:out"],
    "MPI_Type_struct": ["count:ARRAY_LENGTH_NNI:in", "array_of_blocklengths:ARRAY_LENGTH_NNI:in:a",
                        "array_of_displacements:DISPLACEMENT:in:a", "array_of_types:DATATYPE:in:a",
                        "newtype:DATATYPE:out"],
    "MPI_Type_ub": ["datatype:DATATYPE:in", "displacement:DISPLACEMENT:out"],
}

COLLECTIVES = (r"(All(gather|reduce|toall)|Barrier|Bcast|Exscan|Gather|Reduce(?!_local)|Scan|Scatter)")
# A call may be in several groups; the first match gives the class shown in reports.
GROUPS = [
    ("mpi_tool", r"MPI_T_"),
    ("mpi_time", r"MPI_Wti(me|ck)$"),
    ("mpi_partitioned", r"MPI_(P(send|recv)_init|Pready|Parrived)"),
    ("mpi_pt2pt", r"MPI_(Send|[BSR]send|Recv|I[bsr]?send|Irecv|Mrecv|Imrecv|Probe|Mprobe|Im?probe|P(send|recv)_init)"),
    ("mpi_probe", r"MPI_(Probe|Mprobe|Im?probe)"),
    ("mpi_request", r"MPI_(I[bsr]?send|Irecv|Isendrecv|Imrecv|Wait|Test(all|any|some)?$|Start|Cancel|Request_|Grequest_"
                    r"|([BSR]s|S)end_init|Recv_init|P(send|recv)_init|Pready|Parrived)"),
    ("mpi_coll", rf"MPI_(Neighbor_|Ineighbor_)?I?{COLLECTIVES}"),
    ("mpi_coll", r"MPI_(Neighbor_|Ineighbor_|I(all|barrier|bcast|exscan|gather|reduce|scan|scatter))"),
    ("mpi_io_rw", r"MPI_File_(i?read|i?write)"),
    ("mpi_io_consist", r"MPI_File_(sync|set_atomicity|get_atomicity|seek|get_position|get_byte_offset)"),
    ("mpi_io", r"MPI_File_"),
    ("mpi_io", r"MPI_Register_datarep"),
    ("mpi_rma", r"MPI_(Put|Get|Accumulate|Get_accumulate|Fetch_and_op|Compare_and_swap|Rput|Rget|Raccumulate|Rget_accumulate"
                r"|Win_)(_c|accumulate)?($|[a-z])"),
    ("mpi_topo", r"MPI_(Cart|Graph|Dist_graph|Topo_|Dims_)"),
    ("mpi_pack", r"MPI_(Pack|Unpack)"),
    ("mpi_attr", r"MPI_(Attr_|Keyval_|(Comm|Type|Win)_(create_keyval|free_keyval|set_attr|get_attr|delete_attr))"),
    ("mpi_err", r"MPI_(Errhandler_|Error_|Add_error|Remove_error|(Comm|Win|File|Session)_"
                r"(create_errhandler|set_errhandler|get_errhandler|call_errhandler))"),
    ("mpi_datatypes", r"MPI_(Type_|Get_address|Address|Aint_|Get_count|Get_elements|Status_set_elements|Sizeof)"),
    ("mpi_spawn", r"MPI_(Comm_(spawn|accept|connect|disconnect|join|get_parent)|Open_port|Close_port|(Un)?[Pp]ublish_name|Lookup_name)"),
    ("mpi_session", r"MPI_Session_"),
    ("mpi_comm", r"MPI_(Comm_|Intercomm_)"),
    ("mpi_group", r"MPI_Group_"),
    ("mpi_info", r"MPI_Info_"),
    ("mpi_ops", r"MPI_(Op_|Reduce_local)"),
]
# Names that the patterns above would put into a group by accident.
NOT_IN = {
    "mpi_rma": r"MPI_(Get_(count|elements|address|processor|version|library|hw)|Win_(create_keyval|free_keyval|.*attr|.*errhandler|.*toint|.*fromint|[cf]2[cf]))",
    "mpi_comm": r".*(attr|keyval|errhandler)",
    "mpi_datatypes": r".*(attr|keyval)",
}


def groups(name):
    found = []
    for group, pattern in GROUPS:
        if group in found or not re.match(pattern, name):
            continue
        if group in NOT_IN and re.match(NOT_IN[group], name):
            continue
        if group in ("mpi_comm", "mpi_datatypes", "mpi_pack", "mpi_coll") and any(
                g in found for g in ("mpi_attr", "mpi_err", "mpi_spawn", "mpi_tool", "mpi_io")):
            continue
        found.append(group)
    return found or ["mpi_env"]


def main():
    std.use_api_version()
    old = tomllib.loads(TABLE.read_text()) if TABLE.exists() else {}
    old_functions = old.get("function", {})
    next_id = 1 + max((f["id"] for f in old_functions.values()), default=0)
    header = set()
    if len(sys.argv) > 1:
        header = set(re.findall(r"\b(MPI_\w+)\s*\(", Path(sys.argv[1]).read_text()))

    rows = {}
    for proc in std.PROCEDURES.values():
        parse = proc._parseset
        attributes = parse["attributes"]
        if attributes["callback"] or attributes["predefined_function"] or not attributes["c_expressible"]:
            continue
        params, large = [], False
        for p in parse["parameters"]:
            if p["name"] == "ierror":
                continue
            flags = ""
            if p["length"] is not None and p["length"] is not False:
                flags += "a"
            if p["root_only"]:
                flags += "r"
            if p["large_only"]:
                flags += "L"
            if p["pointer"] is not None:
                flags += "P" if p["pointer"] else "V"
            if "c_parameter" in p["suppress"]:
                flags += "f"
            if "f90_parameter" in p["suppress"] or "f08_parameter" in p["suppress"]:
                flags += "c"
            direction = p["param_direction"]
            params.append(f'{p["name"]}:{p["kind"]}:{direction}' + (f":{flags}" if flags else ""))
        rows[proc.express.iso_c.name] = dict(
            params=params, returns=parse["return_kind"], large=proc.has_embiggenment(),
            f90=attributes["f90_expressible"], f08=attributes["f08_expressible"])
    for name, params in REMOVED.items():
        rows[name] = dict(params=params, returns="ERROR_CODE", large=False, f90=True, f08=False, removed=True)

    out = [
        "# The MPI interface as one flat table. Generated by tools/mpi_api_from_pympistandard.py from the",
        "# registry package pympistandard 0.2.0 (MPI-5.0); do not edit by hand. Ids are stored in rank files",
        "# and never change. A parameter is name:KIND:direction[:flags]; flags: a array, r significant at",
        "# root only, L only in the large (_c) form, P/V pointer/value in C whatever the direction,",
        "# f Fortran only, c C only.",
        "",
    ]
    used = sorted({p.split(":")[1] for row in rows.values() for p in row["params"]})
    out.append("[kind]  # width of a kind in C, in C _c, in Fortran, in Fortran large")
    for kind in used:
        k = KINDS[kind.lower()] if hasattr(KINDS, "__getitem__") else getattr(KINDS, kind)
        small = getattr(k, "_iso_c_small", None)
        big = getattr(k, "_iso_c_large", None) or small
        f90 = getattr(k, "_f90_small", None)
        f08 = getattr(k, "_f08_small", None)
        f08l = getattr(k, "_f08_large", None) or f08
        out.append(f'{kind} = [{", ".join(repr_toml(x) for x in (small, big, f90 or f08, f08l))}]')
    out.append("")
    for name in sorted(rows):
        row = rows[name]
        before = old_functions.get(name)
        number = before["id"] if before else next_id
        if not before:
            next_id += 1
        post31 = name not in header if header else bool(before and before.get("post31"))
        if row.get("removed"):
            post31 = False
        out.append(f"[function.{name}]")
        out.append(f"id = {number}")
        out.append(f"groups = [{', '.join(repr_toml(g) for g in groups(name))}]")
        for key in ("large", "f90", "f08", "removed"):
            if row.get(key):
                out.append(f"{key} = true")
        if post31:
            out.append("post31 = true")
        if row["returns"] != "ERROR_CODE":
            out.append(f'returns = "{row["returns"]}"')
        out.append("params = [" + ", ".join(repr_toml(p) for p in row["params"]) + "]")
        out.append("")
    TABLE.write_text("\n".join(out))
    c = len(rows) - len(REMOVED)
    twins = sum(r["large"] for r in rows.values())
    print(f"{TABLE.name}: {c} functions and {twins} _c twins of MPI-5.0, {len(REMOVED)} removed ones")


def repr_toml(text):
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


if __name__ == "__main__":
    main()
