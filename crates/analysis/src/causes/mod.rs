//! Causes before symptoms: what each finding would save, and which findings are symptoms of others.
//!
//! A finding has a change of the run ([`Remedy`](crate::explanation::Remedy)). A replay of the recorded run with that change shows what it saves:
//! nothing, if the wait only moves to the next call. Waits are traced to the rank that was late without waiting
//! itself; if another finding is about that rank, the wait is a symptom of it.

mod accesses;
mod applied;
mod delayers;
mod order;
mod savings;
#[cfg(test)]
mod tests;
mod unexplained;

pub(crate) use delayers::Behind;
pub(crate) use order::order;
pub(crate) use savings::{Run, judge, saved_ns};
pub(crate) use unexplained::{RULE as UNEXPLAINED, find as find_unexplained};
