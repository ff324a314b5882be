//! The state of a process's checks: one field for each role, whose content belongs to the files of that role.

use super::tracked::{Objects, WordMap};
use super::{
    buffered, error_codes, events, files, inflight, info_assertions, lifetimes, memory, requests, sessions, statuses,
    types, windows,
};

/// The state that all threads of the process share, under a lock.
#[derive(Default)]
pub struct Checker {
    /// Handles of all kinds.
    pub objects: Objects,
    /// Datatypes by id.
    pub types: Vec<types::TypeInfo>,
    /// Names of predefined operations by id.
    pub ops: Vec<&'static str>,
    /// Memory that the program may access.
    pub memory: memory::Memory,
    pub life: lifetimes::Life,
    pub meetings: lifetimes::Meetings,
    pub sessions: sessions::Sessions,
    pub messages: events::Messages,
    pub bsend: buffered::BsendBuffers,
    pub requests: requests::Requests,
    pub statuses: statuses::Statuses,
    pub windows: WordMap<u32, windows::Window>,
    pub files: files::Files,
    pub ordinals: Ordinals,
    pub assertions: info_assertions::Assertions,
    pub errors: error_codes::Errors,
    pub flights: inflight::Flights,
}

/// Numbers of collectively created objects, by communicator and kind: windows (0), files (1), persistent operations (2).
#[derive(Default)]
pub struct Ordinals(WordMap<(u32, u8), i64>);

impl Ordinals {
    /// The number of the next object on a communicator.
    pub fn next(&mut self, comm: u32, kind: u8) -> i64 {
        let next = self.0.entry((comm, kind)).or_insert(0);
        *next += 1;
        *next - 1
    }
}
