//! Classes of functions by purpose: few enough for distinct colours.

use mpiscope_abi::role::{Pattern, Role, role};

/// The purpose of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Sends.
    Send,
    /// Receives, and sends combined with one.
    Receive,
    /// Starts, waits and tests of requests.
    Completion,
    /// Probes of messages.
    Probe,
    /// Barriers.
    Barrier,
    /// Other collective operations that move data.
    Collective,
    /// One-sided communication and its synchronization.
    Rma,
    /// Files.
    File,
    /// Makes communicators, groups, windows and the like.
    Objects,
    /// `MPI_Init`, `MPI_Finalize` and their variants.
    Setup,
    /// The others: they do not communicate.
    Local,
}

impl Class {
    /// All classes, in list order.
    pub const ALL: [Class; 11] = [
        Class::Send,
        Class::Receive,
        Class::Completion,
        Class::Probe,
        Class::Barrier,
        Class::Collective,
        Class::Rma,
        Class::File,
        Class::Objects,
        Class::Setup,
        Class::Local,
    ];

    /// The class of a function.
    pub fn of_function(function: u32) -> Class {
        if mpiscope_abi::function(function).is_none() {
            return Class::Local;
        }
        match role(function) {
            Role::Send(_) => Class::Send,
            Role::Receive | Role::SendReceive | Role::MatchedReceive => Class::Receive,
            Role::Complete | Role::Start | Role::Partition => Class::Completion,
            Role::Probe | Role::MatchedProbe => Class::Probe,
            Role::Collective(Pattern::Barrier) => Class::Barrier,
            Role::Collective(Pattern::Fence) | Role::Epoch(_) | Role::Access => Class::Rma,
            Role::Collective(Pattern::File) | Role::File => Class::File,
            Role::Collective(Pattern::Object) | Role::Meet => Class::Objects,
            Role::Collective(_) => Class::Collective,
            Role::Init | Role::Finalize => Class::Setup,
            Role::Local => Class::Local,
        }
    }

    /// Stable id.
    pub fn id(self) -> &'static str {
        match self {
            Class::Send => "send",
            Class::Receive => "receive",
            Class::Completion => "completion",
            Class::Probe => "probe",
            Class::Barrier => "barrier",
            Class::Collective => "collective",
            Class::Rma => "rma",
            Class::File => "file",
            Class::Objects => "objects",
            Class::Setup => "setup",
            Class::Local => "local",
        }
    }

    /// Displayed name.
    pub fn name(self) -> &'static str {
        match self {
            Class::Send => "Sends",
            Class::Receive => "Receives",
            Class::Completion => "Waits and tests",
            Class::Probe => "Probes",
            Class::Barrier => "Barriers",
            Class::Collective => "Collective operations",
            Class::Rma => "One-sided",
            Class::File => "Files",
            Class::Objects => "Creating and freeing objects",
            Class::Setup => "Init and finalize",
            Class::Local => "Other calls",
        }
    }
}
