//! The action for a call, determined once for all calls with the same facts.

use std::sync::OnceLock;

use mpiscope_abi::role::{Pattern, Role};
use mpiscope_store::{CallInfo, flags};
use mpiscope_trace::annotation::{REGION, is_annotation};

use crate::streams::NO_NUMBER;

/// The effect of a record in addition to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Ends a region; makes no row of a call.
    Region,
    /// A marker or value; makes no row of a call.
    Marker,
    /// A poll that found nothing: it may join those before it.
    Poll,
    /// Nothing.
    Row,
    /// `MPI_Cancel`.
    Cancel,
    /// `MPI_Request_free`.
    Free,
    /// Waits for or tests requests.
    Complete,
    /// Starts persistent requests.
    Start,
    /// Makes a persistent request.
    Remember,
    /// Makes a request.
    Post,
    Send,
    Receive,
    SendReceive,
    MatchedProbe,
    MatchedReceive,
    Collective(Pattern),
}

/// The action of calls with the same facts, and numbers of what their arguments name once they were looked up.
#[derive(Clone, Copy)]
pub(crate) struct RowPlan {
    pub action: Action,
    /// Stream that is sent to.
    pub send: u32,
    /// Stream that is received from.
    pub receive: u32,
    /// What a collective operation is counted with.
    pub space: u32,
}

impl RowPlan {
    pub fn from_call_info(facts: &CallInfo) -> RowPlan {
        RowPlan { action: action(facts), send: NO_NUMBER, receive: NO_NUMBER, space: NO_NUMBER }
    }
}

fn action(facts: &CallInfo) -> Action {
    if is_annotation(facts.function) {
        return if facts.function == REGION { Action::Region } else { Action::Marker };
    }
    if facts.flags & flags::POLL != 0 {
        return Action::Poll;
    }
    if facts.flags & flags::FAILED != 0 {
        return Action::Row;
    }
    match facts.role {
        Role::Local | Role::File | Role::Access | Role::Partition | Role::Epoch(_) => of_local(facts.function),
        Role::Complete => Action::Complete,
        Role::Start => Action::Start,
        _ if facts.flags & flags::MAKES_PERSISTENT != 0 => Action::Remember,
        _ if facts.flags & flags::NON_BLOCKING != 0 => Action::Post,
        Role::Send(_) => Action::Send,
        Role::Receive => Action::Receive,
        Role::SendReceive => Action::SendReceive,
        // A probe that found nothing is a poll.
        Role::MatchedProbe => Action::MatchedProbe,
        Role::MatchedReceive => Action::MatchedReceive,
        Role::Collective(pattern) => Action::Collective(pattern),
        Role::Probe | Role::Meet | Role::Init | Role::Finalize => Action::Row,
    }
}

/// Calls that neither send nor wait but may say something of a request.
fn of_local(function: u32) -> Action {
    static IDS: OnceLock<[Option<u32>; 2]> = OnceLock::new();
    let [cancel, free] = *IDS.get_or_init(|| ["MPI_Cancel", "MPI_Request_free"].map(mpiscope_abi::by_name));
    match Some(function) {
        id if id == cancel => Action::Cancel,
        id if id == free => Action::Free,
        _ => Action::Row,
    }
}
