//! One call while it is checked: its state, and how its events and findings are written.

use mpiscope_abi::Param;
use mpiscope_trace::check::event::{Body, Head, flag};

use super::checker::Checker;
use super::event_writer::EventWriter;
use super::pending_call::PendingCall;
use super::view::{Slot, View};

/// One call and everything that is known about it while it is checked.
pub struct CallContext<'a> {
    pub view: View<'a>,
    pub checker: &'a mut Checker,
    pub writer: &'a mut EventWriter,
    pub open: &'a mut PendingCall,
    pub site: u32,
    pub head_comm: u32,
    pub thread: u32,
    /// A list in the next event is incomplete.
    pub cut: bool,
}

impl CallContext<'_> {
    /// The head of an event of this call.
    #[inline]
    pub fn head(&self, flags: u16) -> Head {
        let fortran = if self.view.plan.fortran { flag::FORTRAN } else { 0 };
        let wrong = if self.open.wrong { flag::WRONG } else { 0 };
        Head {
            function: self.view.plan.function as u16,
            flags: flags | fortran | wrong,
            site: self.site,
            comm: self.head_comm,
            ..Head::default()
        }
    }

    /// Writes an event of this call.
    #[inline]
    pub fn emit(&mut self, flags: u16, body: Body) {
        self.emit_ref(flags, &body);
    }

    /// The same; returns the words of the event.
    #[inline]
    pub fn emit_ref(&mut self, flags: u16, body: &Body) -> &[u64] {
        let cut = if std::mem::take(&mut self.cut) { flag::CUT } else { 0 };
        let head = self.head(flags | cut);
        self.writer.write(head, body)
    }

    /// Writes an event of a request that this call starts.
    pub fn emit_as(&mut self, function: u16, comm: u32, flags: u16, body: Body) {
        let head = Head { function, comm, ..self.head(flags) };
        self.writer.write(head, &body);
    }

    /// Writes an unsuccessful poll.
    pub fn ask(&mut self, body: Body, key: u64) {
        let head = self.head(0);
        self.writer.write_and_wait(head, &body, key);
    }

    /// Reports a finding about this call.
    pub fn find(&mut self, rule: u16, param: Option<&'static Param>, values: [i64; 3], text: &str) {
        self.find_from(rule, param, values, text, 0);
    }

    /// The same, about something that was created or started at another place.
    pub fn find_from(&mut self, rule: u16, param: Option<&'static Param>, values: [i64; 3], text: &str, origin: u32) {
        let argument = param.map_or(u8::MAX, |p| if p.c == u8::MAX { p.f } else { p.c });
        let text = text.to_owned();
        self.emit(0, Body::Finding { rule, argument, withheld: false, origin, values, text });
        self.open.wrong = true;
    }

    /// Reports a finding at the earlier call that created or started something.
    pub fn find_made(&mut self, rule: u16, function: u16, site: u32, values: [i64; 3], text: &str) {
        self.find_at(rule, (function, site), values, text, 0);
    }

    /// The same for that call, about something that was created or started at another place.
    pub fn find_at(&mut self, rule: u16, (function, site): (u16, u32), values: [i64; 3], text: &str, origin: u32) {
        let head = Head { function, site, ..self.head(0) };
        let text = text.to_owned();
        let body = Body::Finding { rule, argument: u8::MAX, withheld: false, origin, values, text };
        self.writer.write(head, &body);
    }

    /// The window of the call.
    #[inline]
    pub fn window(&self) -> u32 {
        let handle = self.view.param(Slot::Window).and_then(|p| self.view.handle(p));
        handle.map_or(0, |handle| self.view.process.windows.id(handle))
    }

    /// The file of the call.
    #[inline]
    pub fn file(&self) -> u32 {
        let handle = self.view.param(Slot::File).and_then(|p| self.view.handle(p));
        handle.map_or(0, |handle| self.view.process.files.id(handle))
    }
}
