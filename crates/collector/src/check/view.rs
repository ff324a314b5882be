//! The arguments of a call by their meaning, in C and Fortran.

use mpiscope_abi::role::{self, Role};
use mpiscope_abi::spec::{class, param_flag};
use mpiscope_abi::{Function, LARGE, Param, Step, function_unchecked, id};

use super::{arg_cache, handles, inflight};
use crate::call_plan;
use crate::decode;
use crate::process::Process;
use crate::trampoline::Args;

/// Parameters that events and rules use, by their meaning.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
#[allow(missing_docs)] // named after what they are
pub enum Slot {
    Buffer,
    Count,
    Type,
    ReceiveBuffer,
    ReceiveCount,
    ReceiveType,
    Peer,
    Source,
    Tag,
    ReceiveTag,
    Comm,
    Root,
    Op,
    Window,
    File,
    Request,
    Status,
    Flag,
    Message,
    Index,
    OutCount,
    Indices,
    Group,
    Assert,
    TargetDisplacement,
    TargetCount,
    TargetType,
    Offset,
    Partitions,
    Displacements,
    ReceiveDisplacements,
    NewHandle,
}

const SLOTS: usize = Slot::NewHandle as usize + 1;
const NONE: u8 = u8::MAX;

/// The properties of a function in one language, computed at its first call.
pub struct CheckPlan {
    /// Function id.
    pub function: u32,
    /// The same without the bit for large counts.
    pub base: u32,
    /// Its entry in the table.
    pub facts: &'static Function,
    /// Called through a Fortran symbol.
    pub fortran: bool,
    /// Buffers come as C descriptors.
    pub descriptors: bool,
    /// Its role in communication.
    pub role: Role,
    /// It creates a request.
    pub makes_request: bool,
    /// It creates a persistent request.
    pub persistent: bool,
    /// It transfers data, and so needs committed datatypes.
    pub transfers: bool,
    /// The same arguments stay valid until an object is created or freed ([`super::arg_cache`]).
    pub can_be_known: bool,
    /// It creates objects.
    pub makes_objects: bool,
    /// It converts a handle to another form.
    pub converts: bool,
    /// `MPI_Request_get_status` and its like.
    pub asks: bool,
    /// A split collective operation on a file.
    pub half: Option<Half>,
    /// It may be called before MPI is initialised and after it is finalised.
    pub any_time: bool,
    /// Parameters.
    pub params: &'static [Param],
    slots: [u8; SLOTS],
}

impl CheckPlan {
    /// The parameter with this name in the standard.
    pub fn named(&self, name: &str) -> Option<&'static Param> {
        self.params.iter().find(|p| mpiscope_abi::param_name(p) == name)
    }

    /// For the function of a recording plan.
    pub fn from_call_plan(from: &call_plan::CallPlan) -> CheckPlan {
        let function = from.function;
        let params = mpiscope_abi::params(function);
        let facts = function_unchecked(function);
        let mut slots = [NONE; SLOTS];
        for (at, param) in params.iter().enumerate() {
            if let Some(slot) = slot(param, params)
                && slots[slot as usize] == NONE
            {
                slots[slot as usize] = at as u8;
            }
        }
        let name = mpiscope_abi::name(function);
        let (base, role, transfers) = (function & !LARGE, role::role(function), facts.flow != mpiscope_abi::Flow::None);
        let descriptors = from.symbol.descriptors;
        CheckPlan {
            function,
            base,
            facts,
            fortran: from.fortran,
            descriptors,
            role,
            makes_request: role::makes_request(function),
            persistent: role::is_persistent(function),
            transfers,
            can_be_known: arg_cache::depends_only_on_arguments(base, role, transfers, descriptors, params),
            makes_objects: params.iter().any(makes_object),
            asks: name.starts_with("MPI_Request_get_status") || base == id::Parrived,
            half: half(base),
            any_time: any_time(name, params),
            converts: converts(name),
            params,
            slots,
        }
    }

    /// The number of a parameter.
    #[inline(always)]
    pub fn number(&self, slot: Slot) -> Option<u8> {
        Some(self.slots[slot as usize]).filter(|&at| at != NONE)
    }
}

/// A half of a split collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    Begins,
    Ends,
}

fn half(base: u32) -> Option<Half> {
    let name = mpiscope_abi::name(base).strip_prefix("MPI_File_")?;
    match () {
        () if name.ends_with("_begin") => Some(Half::Begins),
        () => name.ends_with("_end").then_some(Half::Ends),
    }
}

/// Whether a call returns an object through a parameter.
pub fn makes_object(param: &Param) -> bool {
    let handle = (class::COMM..=class::KEYVAL).contains(&param.class);
    let request = matches!(param.class, class::REQUEST | class::MESSAGE);
    handle && !request && param.is(param_flag::OUT) && !param.is(param_flag::IN) && !param.is(param_flag::ARRAY)
}

/// Whether a function converts a handle, which is allowed for null handles as well (MPI-5.0 §19.3.4).
fn converts(name: &str) -> bool {
    const FORMS: [&str; 8] = ["_c2f", "_f2c", "_toint", "_fromint", "_c2f08", "_f082c", "_f2f08", "_f082f"];
    FORMS.iter().any(|end| name.ends_with(end))
}

fn any_time(name: &str, params: &[Param]) -> bool {
    let life = matches!(name, "MPI_Finalize" | "MPI_Barrier");
    let tools = name.starts_with("MPI_T_") || name.starts_with("MPI_Session_") || name.starts_with("MPI_Info_");
    let needs = params.iter().any(|p| {
        (class::COMM..=class::REQUEST).contains(&p.class)
            && !matches!(p.class, class::INFO | class::ERRHANDLER)
            && p.is(param_flag::IN)
    });
    tools || converts(name) || !(needs || life)
}

fn slot(param: &Param, params: &[Param]) -> Option<Slot> {
    let name = mpiscope_abi::param_name(param);
    let input = param.is(param_flag::IN);
    let has = |name: &str| params.iter().any(|p| mpiscope_abi::param_name(p) == name);
    Some(match name {
        "buf" | "buffer" | "sendbuf" | "origin_addr" | "inbuf" | "base" if param.class == class::BUFFER => Slot::Buffer,
        "recvbuf" | "result_addr" | "inoutbuf" => Slot::ReceiveBuffer,
        "count" | "sendcount" | "sendcounts" | "origin_count" if param.class == class::COUNT => Slot::Count,
        "recvcount" | "recvcounts" | "result_count" => Slot::ReceiveCount,
        "target_count" => Slot::TargetCount,
        "datatype" | "sendtype" | "sendtypes" | "origin_datatype" if input => Slot::Type,
        "recvtype" | "recvtypes" | "result_datatype" => Slot::ReceiveType,
        "target_datatype" => Slot::TargetType,
        "oldtype" => Slot::Type,
        "dest" | "target_rank" => Slot::Peer,
        "source" if has("dest") => Slot::Source,
        "source" if param.class == class::RANK => Slot::Peer,
        "rank" if input && has("win") => Slot::Peer,
        "tag" | "sendtag" => Slot::Tag,
        "recvtag" => Slot::ReceiveTag,
        "root" => Slot::Root,
        "assert" => Slot::Assert,
        "target_disp" => Slot::TargetDisplacement,
        "offset" if input => Slot::Offset,
        "partitions" => Slot::Partitions,
        "displs" if has("sendcounts") => Slot::Displacements,
        "displs" | "rdispls" => Slot::ReceiveDisplacements,
        "sdispls" => Slot::Displacements,
        "array_of_indices" => Slot::Indices,
        "outcount" => Slot::OutCount,
        "index" if param.is(param_flag::OUT) => Slot::Index,
        "flag" if param.is(param_flag::OUT) => Slot::Flag,
        _ => match param.class {
            class::COMM if input => Slot::Comm,
            class::OP if input => Slot::Op,
            class::WINDOW if input => Slot::Window,
            class::FILE if input => Slot::File,
            class::GROUP if input => Slot::Group,
            class::REQUEST => Slot::Request,
            class::MESSAGE => Slot::Message,
            class::STATUS => Slot::Status,
            c if (class::COMM..=class::KEYVAL).contains(&c) && !input => Slot::NewHandle,
            _ => return None,
        },
    })
}

/// One call.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub process: &'static Process,
    pub plan: &'static CheckPlan,
    pub args: Args,
    pub nulls: &'a handles::Families,
}

impl View<'_> {
    /// The parameter in a slot.
    #[inline(always)]
    pub fn param(&self, slot: Slot) -> Option<&'static Param> {
        self.plan.number(slot).map(|at| &self.plan.params[at as usize])
    }

    /// The argument's word: in Fortran an address. `None` if the language has no such argument.
    #[inline(always)]
    pub fn word(&self, param: &Param) -> Option<u64> {
        let index = if self.plan.fortran { param.f } else { param.c };
        // SAFETY: the table says that the call has it.
        (index != mpiscope_abi::spec::ABSENT).then(|| unsafe { self.args.get(index) })
    }

    /// An integer argument.
    #[inline(always)]
    pub fn int(&self, param: &Param) -> i64 {
        let step = Step {
            kind: 0,
            flags: u8::from(param.is(param_flag::WIDE)) | u8::from(param.is(param_flag::POINTER)) << 1,
            c: param.c,
            f: param.f,
            aux_c: NONE,
            aux_f: NONE,
        };
        if self.word(param).is_none() {
            return 0;
        }
        // SAFETY: as above; the call would read the same.
        unsafe { decode::scalar(self.args, &step, self.plan.fortran) as i64 }
    }

    /// The integer in a slot.
    #[inline(always)]
    pub fn number(&self, slot: Slot) -> Option<i64> {
        self.param(slot).map(|p| self.int(p))
    }

    /// Element `index` of an array of integers; `None` if the array is null.
    #[inline(always)]
    pub fn element(&self, param: &Param, index: usize) -> Option<i64> {
        let array = self.word(param)?;
        if array == 0 {
            return None;
        }
        // SAFETY: the array has the element, the caller says.
        Some(unsafe {
            if param.is(param_flag::WIDE) {
                (array as *const i64).add(index).read_unaligned()
            } else {
                (array as *const i32).add(index).read_unaligned().into()
            }
        })
    }

    /// A handle in its C form.
    #[inline(always)]
    pub fn handle(&self, param: &Param) -> Option<u64> {
        let word = self.word(param)?;
        if param.is(param_flag::ARRAY) {
            return None;
        }
        if self.plan.fortran || param.is(param_flag::POINTER) {
            return self.stored(param, word, 0);
        }
        Some(if param.class == class::KEYVAL || self.process.int_handles { u64::from(word as u32) } else { word })
    }

    /// Handle `index` of the array at an address, in its C form.
    #[inline(always)]
    pub fn stored(&self, param: &Param, address: u64, index: usize) -> Option<u64> {
        if address == 0 {
            return None;
        }
        // SAFETY: the call reads or has written the same.
        unsafe {
            if param.class == class::KEYVAL || self.process.int_handles {
                return Some(u64::from((address as *const u32).add(index).read_unaligned()));
            }
            if self.plan.fortran {
                return Some(self.nulls.of_fortran(param.class, (address as *const i32).add(index).read_unaligned()));
            }
            Some((address as *const u64).add(index).read_unaligned())
        }
    }

    /// Bytes of a handle in memory.
    pub fn handle_bytes(&self) -> u64 {
        if self.plan.fortran || self.process.int_handles { 4 } else { 8 }
    }

    /// The address of a buffer argument, and whether it is `MPI_IN_PLACE` or `MPI_BOTTOM`.
    #[inline(always)]
    pub fn buffer(&self, param: &Param) -> Buffer {
        let word = self.word(param).unwrap_or(0);
        if !self.plan.fortran {
            let in_place = word == self.process.mpi.constants.in_place as u64;
            return Buffer { address: if in_place { 0 } else { word }, in_place, special: in_place };
        }
        // SAFETY: an argument of the call.
        let in_place = unsafe { self.process.mpi.is_in_place(word, self.plan.descriptors) };
        let address = match self.plan.descriptors {
            true if word == 0 => 0,
            // SAFETY: a descriptor begins with the address.
            true => unsafe { *(word as *const u64) },
            false => word,
        };
        // MPI_BOTTOM is a variable.
        let gaps = self.plan.descriptors && !inflight::has_no_gaps(word);
        let special = in_place || gaps || self.nulls.fortran_bottom.contains(&address);
        Buffer { address: if in_place { 0 } else { address }, in_place, special }
    }
}

/// See [`View::buffer`].
#[derive(Clone, Copy, Default)]
pub struct Buffer {
    /// Address; 0 for `MPI_IN_PLACE`.
    pub address: u64,
    /// It is `MPI_IN_PLACE`.
    pub in_place: bool,
    /// The address alone does not show which memory is used.
    pub special: bool,
}
