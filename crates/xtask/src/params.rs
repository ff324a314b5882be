//! The parameters of every function in `crates/abi/src/generated.rs`: what each of them is, for those who check calls.

use std::collections::HashMap;
use std::fmt::Write;

use anyhow::{Context, Result, ensure};

use crate::functions::LARGE_BIT;
use crate::table::{Placed, Table};

const ABSENT: u8 = 255;
/// As `spec::length`.
const PER_PROCESS: u8 = 254;
const UNKNOWN: u8 = 253;

/// The two tables: parameters, and where those of each function are.
pub fn generate(table: &Table) -> Result<String> {
    let mut names = String::new();
    let mut name_places: HashMap<String, usize> = HashMap::new();
    let mut rows = String::new();
    let mut count = 0usize;
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut ranges: Vec<Option<(usize, usize)>> = vec![None; 2 * LARGE_BIT as usize];
    for (base, function) in &table.function {
        for large in [false, true] {
            if large && !function.large {
                continue;
            }
            let params = table.params(function, large);
            let mut text = String::new();
            for p in &params {
                let name = p.param.name.clone();
                let at = *name_places.entry(name.clone()).or_insert_with(|| {
                    names += &name;
                    names.len() - name.len()
                });
                let class = class(base, p).with_context(|| format!("class of {} in {base}", p.param.name))?;
                writeln!(
                    text,
                    "    Param {{ class: class::{class}, flags: {}, c: {}, f: {}, length: {}, name_len: {}, name_at: {at} }},",
                    flags(p),
                    p.c.unwrap_or(ABSENT),
                    p.f.unwrap_or(ABSENT),
                    length(p, &params),
                    name.len(),
                )?;
            }
            let at = if params.is_empty() {
                0
            } else {
                *seen.entry(text.clone()).or_insert_with(|| {
                    rows += &text;
                    count += params.len();
                    count - params.len()
                })
            };
            ranges[(function.id | if large { LARGE_BIT } else { 0 }) as usize] = Some((at, params.len()));
        }
    }
    ensure!(count < 1 << 16 && names.len() < 1 << 16, "places of parameters");
    let mut out = String::new();
    writeln!(out, "pub(crate) static PARAM_NAMES: &str = \"{names}\";\n")?;
    writeln!(out, "pub(crate) static PARAMS: [Param; {count}] = [\n{rows}];\n")?;
    writeln!(out, "/// First parameter and how many, by id.")?;
    writeln!(out, "pub(crate) static PARAM_RANGES: [(u16, u8); {}] = [", ranges.len())?;
    for line in ranges.chunks(12) {
        let line: Vec<String> = line.iter().map(|r| r.map_or("(0, 0)".into(), |(a, n)| format!("({a}, {n})"))).collect();
        writeln!(out, "    {},", line.join(", "))?;
    }
    writeln!(out, "];\n")?;
    Ok(out)
}

fn flags(p: &Placed) -> u8 {
    let direction = match p.param.direction.as_str() {
        "in" => 1,
        "out" => 2,
        _ => 3,
    };
    direction
        | u8::from(p.param.array) << 2
        | u8::from(p.wide) << 3
        | u8::from(p.param.c_pointer()) << 4
        | u8::from(p.param.at_root) << 5
}

/// Which parameter says how long an array is.
fn length(p: &Placed, params: &[Placed]) -> u8 {
    if !p.param.array {
        return ABSENT;
    }
    let name = p.param.name.as_str();
    let per_process = matches!(
        name,
        "sendcounts" | "recvcounts" | "displs" | "sdispls" | "rdispls" | "sendtypes" | "recvtypes"
    );
    if per_process {
        return PER_PROCESS;
    }
    let candidates: &[&str] = match name {
        "sources" if params.iter().any(|p| p.param.name == "indegree") => &["indegree"],
        "destinations" if params.iter().any(|p| p.param.name == "outdegree") => &["outdegree"],
        "sourceweights" => &["indegree"],
        "destweights" => &["outdegree"],
        "destinations" | "weights" | "edges" => &[],
        "ranks1" | "ranks" | "ranges" | "degrees" | "sources" => &["n"],
        "index" => &["nnodes"],
        "coords" => &[],
        _ => &["count", "incount", "ndims", "length", "nnodes", "n"],
    };
    let number = ["ARRAY_LENGTH", "NUM_DIMS", "POLYDTYPE_NUM_ELEM", "INDEX", "COMM_SIZE", "DEGREE", "STRING_LENGTH"];
    let is_number = |p: &Placed| {
        !p.param.array && p.param.direction == "in" && number.iter().any(|k| p.param.kind.starts_with(k))
    };
    candidates
        .iter()
        .find_map(|wanted| params.iter().position(|p| p.param.name == *wanted && is_number(p)))
        .map_or(UNKNOWN, |at| at as u8)
}

fn class(base: &str, p: &Placed) -> Result<&'static str> {
    let kind = p.param.kind.as_str();
    if base.starts_with("MPI_T_") {
        return Ok("OTHER");
    }
    Ok(match kind {
        "COMMUNICATOR" => "COMM",
        "GROUP" => "GROUP",
        "DATATYPE" => "TYPE",
        "OPERATION" => "OP",
        "WINDOW" => "WINDOW",
        "FILE" => "FILE",
        "INFO" => "INFO",
        "ERRHANDLER" => "ERRHANDLER",
        "REQUEST" => "REQUEST",
        "MESSAGE" => "MESSAGE",
        "SESSION" => "SESSION",
        "KEYVAL" => "KEYVAL",
        "RANK" | "RANK_NNI" if p.param.name == "root" => "ROOT",
        "RANK" | "RANK_NNI" => "RANK",
        "TAG" => "TAG",
        "BUFFER" => "BUFFER",
        "STATUS" => "STATUS",
        "LOGICAL" => "FLAG",
        "PARTITION" => "PARTITION",
        "ASSERT" => "ASSERT",
        "ACCESS_MODE" => "MODE",
        "LOCK_TYPE" => "LOCK",
        "UPDATE_MODE" => "WHENCE",
        "STRING" => "STRING",
        "OFFSET" => "OFFSET",
        "RMA_DISPLACEMENT_NNI" => "TARGET_DISPLACEMENT",
        "POLYRMA_DISPLACEMENT" => "UNIT",
        "WINDOW_SIZE" | "WIN_ATTACH_SIZE" | "ALLOC_MEM_NUM_BYTES" | "POLYNUM_BYTES_NNI" => "BYTES",
        "NUM_DIMS" | "DIMENSION" | "DEGREE" => "NUMBER",
        k if k.starts_with("POLYXFER_NUM_ELEM") || k.starts_with("XFER_NUM_ELEM") => match p.param.name.as_str() {
            "size" | "lb" | "extent" | "true_lb" | "true_extent" => "NUMBER",
            _ => "COUNT",
        },
        "POLYDTYPE_NUM_ELEM_NNI" | "ARRAY_LENGTH_NNI" | "ARRAY_LENGTH" | "ARRAY_LENGTH_PI" => "LENGTH",
        k if k.contains("DISPLACEMENT") || k == "POLYDISPOFFSET" => "DISPLACEMENT",
        k if k.starts_with("POLYDTYPE") => "NUMBER",
        "INDEX" | "KEY_INDEX" | "COMM_SIZE" | "COMM_SIZE_PI" | "COLOR" | "KEY" | "SPLIT_TYPE" | "ORDER" | "MATH"
        | "VERSION" | "THREAD_LEVEL" | "ERROR_CLASS" | "ERROR_CODE" | "COORDINATE" | "WEIGHT" | "STRING_LENGTH"
        | "COMM_COMPARISON" | "GROUP_COMPARISON" | "COMBINER" | "TOPOLOGY_TYPE" | "POLYLOCATION" | "NUM_BYTES"
        | "DISTRIB_ENUM" | "DTYPE_DISTRIBUTION" | "PROCESS_GRID_SIZE" | "TYPECLASS" | "TYPECLASS_SIZE"
        | "INFO_VALUE_LENGTH" | "POLYNUM_PARAM_VALUES" | "POLYNUM_BYTES" | "GENERIC_DTYPE_INT"
        | "GENERIC_DTYPE_COUNT" => "NUMBER",
        _ => "OTHER",
    })
}
