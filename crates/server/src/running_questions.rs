//! Pending requests, by the names that the page gave them, so that it can request their progress.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use mpiscope_query::view::Cancel;

/// The limit: a page has about a dozen at once.
const MOST: usize = 256;

static WORKING: Mutex<BTreeMap<String, Vec<Cancel>>> = Mutex::new(BTreeMap::new());

/// A pending request, until this is dropped.
pub(crate) struct Named(String);

impl Named {
    /// The last one of a name counts.
    pub fn new(name: &str, cancel: &Cancel) -> Named {
        let mut working = WORKING.lock().unwrap_or_else(PoisonError::into_inner);
        if working.len() < MOST {
            working.entry(name.to_owned()).or_default().push(cancel.clone());
        }
        Named(name.to_owned())
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        let mut working = WORKING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_name) = working.get_mut(&self.0) {
            // A cancelled request ends after its successor has started: remove the oldest one.
            of_name.remove(0);
            if of_name.is_empty() {
                working.remove(&self.0);
            }
        }
    }
}

/// The progress of the last request of a name; nothing if there is none or it is unknown.
pub(crate) fn done(name: &str) -> Option<f64> {
    let working = WORKING.lock().unwrap_or_else(PoisonError::into_inner);
    working.get(name)?.last()?.done()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_while_somebody_works() {
        let (first, second) = (Cancel::default(), Cancel::default());
        let a = Named::new("x", &first);
        let b = Named::new("x", &second);
        assert_eq!((done("x"), done("y")), (None, None));
        drop(a);
        assert_eq!(WORKING.lock().unwrap().get("x").map(Vec::len), Some(1));
        drop(b);
        assert!(!WORKING.lock().unwrap().contains_key("x"));
    }
}
