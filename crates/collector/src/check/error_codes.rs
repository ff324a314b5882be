//! Error classes, codes and texts that the program adds and removes (MPI-5.0 §9.5): it may remove only its own, in the reverse order.

use std::collections::HashMap;

use mpiscope_abi::id;
use mpiscope_trace::check::rule;

use super::CallContext;
use crate::mpi::call;

/// A class or code of the program.
#[derive(Clone, Copy, Default)]
struct Added {
    /// Of a code: its class.
    class: Option<i64>,
    has_text: bool,
}

/// All of them by number.
#[derive(Default)]
pub struct Errors {
    added: HashMap<i64, Added>,
    /// The program has its own error handlers.
    has_handlers: bool,
}

impl Errors {
    /// The program has created an error handler.
    pub fn has_handlers(&mut self) {
        self.has_handlers = true;
    }

    /// Why a class, code or text may not be removed.
    fn keeps(&self, base: u32, number: i64) -> Option<&'static str> {
        let Some(known) = self.added.get(&number) else {
            return Some("a class, code or text that the program added and has not removed");
        };
        match base {
            id::Remove_error_string => (!known.has_text).then_some("a code that has a text"),
            _ if known.has_text => Some("a class or code whose text is removed first"),
            id::Remove_error_code => known.class.is_none().then_some("a code, not a class"),
            _ if known.class.is_some() => Some("a class, not a code"),
            _ => {
                let has_codes = self.added.values().any(|code| code.class == Some(number));
                has_codes.then_some("a class whose codes are removed first")
            }
        }
    }
}

fn named(s: &CallContext<'_>) -> Option<(&'static mpiscope_abi::Param, i64)> {
    let param =
        s.view.plan.named(if s.view.plan.base == id::Remove_error_class { "errorclass" } else { "errorcode" })?;
    Some((param, s.view.int(param)))
}

/// Before something is removed.
pub fn removing(s: &mut CallContext<'_>) {
    let Some((param, number)) = named(s) else { return };
    if let Some(why) = s.checker.errors.keeps(s.view.plan.base, number) {
        s.find(rule::VALUE, Some(param), [number, 0, 0], why);
    }
}

/// Something was added or removed.
pub fn changed(s: &mut CallContext<'_>) {
    let out = |name: &str| {
        let word = s.view.plan.named(name).and_then(|p| s.view.word(p)).filter(|&w| w != 0)?;
        // SAFETY: the MPI has just written it.
        Some(i64::from(unsafe { (word as *const i32).read_unaligned() }))
    };
    let base = s.view.plan.base;
    let (new, class) = match base {
        id::Add_error_class => (out("errorclass"), None),
        id::Add_error_code => (out("errorcode"), s.view.plan.named("errorclass").map(|p| s.view.int(p))),
        _ => (named(s).map(|(_, number)| number), None),
    };
    let Some(number) = new else { return };
    let all = &mut s.checker.errors.added;
    match base {
        id::Add_error_class | id::Add_error_code => {
            all.insert(number, Added { class, has_text: false });
        }
        id::Add_error_string | id::Remove_error_string => {
            if let Some(known) = all.get_mut(&number) {
                known.has_text = base == id::Add_error_string;
            }
        }
        _ => {
            all.remove(&number);
        }
    }
}

/// The call has returned an error code. The reader finds out from the machine code whether the program checks it; a
/// error handler of the program may have done so already, and wrong arguments are reported.
pub fn returned(s: &mut CallContext<'_>, code: i32) {
    if s.open.wrong || s.checker.errors.has_handlers || s.view.plan.fortran {
        return;
    }
    let (mut class, mut length) = (0, 0);
    let mut text = [0u8; 1024];
    if !call::Error_class(code, &mut class) || !call::Error_string(code, text.as_mut_ptr(), &mut length) {
        return;
    }
    let length = usize::try_from(length).unwrap_or(0).min(text.len());
    let text = String::from_utf8_lossy(&text[..length]).replace('\n', " ");
    s.find(rule::ERROR_IGNORED, None, [code.into(), class.into(), 0], text.trim());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_the_reverse_order() {
        let mut errors = Errors::default();
        let code = Added { class: Some(60), has_text: true };
        errors.added.extend([(60, Added::default()), (61, code)]);
        let keeps = |errors: &Errors, base, number| errors.keeps(base, number).is_some();
        assert!(keeps(&errors, id::Remove_error_class, 60) && keeps(&errors, id::Remove_error_code, 61));
        assert!(keeps(&errors, id::Remove_error_class, 5) && keeps(&errors, id::Remove_error_string, 60));
        assert!(!keeps(&errors, id::Remove_error_string, 61));
        errors.added.insert(61, Added { has_text: false, ..code });
        assert!(!keeps(&errors, id::Remove_error_code, 61) && keeps(&errors, id::Remove_error_class, 61));
        errors.added.remove(&61);
        assert!(!keeps(&errors, id::Remove_error_class, 60));
    }
}
