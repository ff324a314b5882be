//! Commands shown to a person, until they are confirmed: only these are run.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};

use super::Command;
use crate::guard;

/// Commands that were shown and not confirmed.
const MOST: usize = 16;

/// Commands by a random name.
#[derive(Default)]
pub struct Tickets(Mutex<VecDeque<(String, Command)>>);

impl Tickets {
    /// Stores a command; it is dropped when many others have come.
    pub fn keep(&self, command: Command) -> io::Result<String> {
        let ticket = guard::token()?;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.truncate(MOST - 1);
        all.push_front((ticket.clone(), command));
        Ok(ticket)
    }

    /// Returns it, once.
    pub fn redeem(&self, ticket: &str) -> Option<Command> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|(name, _)| name == ticket)?;
        all.remove(at).map(|(_, command)| command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_once_and_not_for_ever() {
        let command = || Command {
            program: vec!["a".into()],
            text: "a".into(),
            directory: "/".into(),
            run: "/r".into(),
            ranks: None,
            words: vec!["a".into()],
        };
        let tickets = Tickets::default();
        let first = tickets.keep(command()).unwrap();
        let second = tickets.keep(command()).unwrap();
        assert!(tickets.redeem(&second).is_some() && tickets.redeem(&second).is_none());
        for _ in 0..MOST {
            tickets.keep(command()).unwrap();
        }
        assert!(tickets.redeem(&first).is_none(), "forgotten");
    }
}
