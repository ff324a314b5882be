//! What a rule of this part is, and the list of them.
//!
//! A rule sees each call, message and collective operation of a run once. There are millions of them, so the list is a macro that makes one
//! struct of all rules: calls of their methods are direct, and methods that a rule does not have cost nothing.

use mpiscope_store::{Call, CallInfo, Collective, Detail, Dimensions, Member, Message};

use super::Machine;
use super::kinds::{Info, Kinds};
use super::speed::Speed;
use crate::explanation::{Explanation, Rule};

/// A call, with what is known of it.
pub(super) struct CallSeen<'a> {
    pub rank: usize,
    pub row: u64,
    pub call: &'a Call,
    pub info: &'a Info,
    pub details: &'a [Detail],
}

/// A message, with what is known of the call that receives it.
pub(super) struct MessageSeen<'a> {
    pub message: &'a Message,
    pub receive: &'a Info,
}

/// A message of which both sides are complete.
pub(super) struct TransferSeen<'a> {
    pub message: &'a Message,
    pub send: &'a Info,
    pub kinds: &'a Kinds,
    pub same_host: bool,
    /// Whether a side has a datatype with gaps.
    pub has_gaps: bool,
    /// Time of only the transfer, where the message shows it.
    pub pure_ns: Option<u64>,
}

/// What all rules use at the end.
pub(super) struct Context<'a> {
    pub kinds: &'a Kinds,
    pub dimensions: &'a Dimensions,
    pub facts: &'a [Vec<CallInfo>],
    pub machine: &'a Machine,
    pub speed: &'a Speed,
}

impl Context<'_> {
    /// Time of the smallest messages: within a host, otherwise between hosts.
    pub fn latency_ns(&self) -> Option<f64> {
        self.speed.model(true).latency_ns().or(self.speed.model(false).latency_ns())
    }
}

/// A rule of this part: it collects numbers, and reports findings at the end. Its memory grows with ranks and call sites, never with calls.
pub(super) trait QualityRule: Sized {
    /// Its texts and relations; two if it reports in two ways.
    const RULES: &'static [Rule];

    /// Before the first call.
    fn new(kinds: &Kinds, dimensions: &Dimensions) -> Self;

    /// A call.
    #[inline]
    fn call(&mut self, _seen: &CallSeen<'_>) {}

    /// A message, also if its send or receive is not complete.
    #[inline]
    fn message(&mut self, _seen: &MessageSeen<'_>) {}

    /// A message of which both sides are complete.
    #[inline]
    fn transfer(&mut self, _seen: &TransferSeen<'_>) {}

    /// A collective operation.
    #[inline]
    fn collective(&mut self, _operation: &Collective, _members: &[Member], _kinds: &Kinds) {}

    /// The end of a stretch of the run.
    fn end_batch(&mut self) {}

    /// Reports what costs enough.
    fn conclude(self, context: &Context<'_>, out: &mut Explanation);
}

/// One struct of all rules.
macro_rules! registry {
    ($($name:ident: $rule:ident,)*) => {
        /// All rules of this part, and what they have collected.
        pub(super) struct Collected {
            $($name: super::$name::$rule,)*
        }

        impl Collected {
            pub fn new(kinds: &Kinds, dimensions: &Dimensions) -> Collected {
                Collected { $($name: QualityRule::new(kinds, dimensions),)* }
            }

            #[inline]
            pub fn call(&mut self, seen: &CallSeen<'_>) {
                $(self.$name.call(seen);)*
            }

            #[inline]
            pub fn message(&mut self, seen: &MessageSeen<'_>) {
                $(self.$name.message(seen);)*
            }

            #[inline]
            pub fn transfer(&mut self, seen: &TransferSeen<'_>) {
                $(self.$name.transfer(seen);)*
            }

            pub fn collective(&mut self, operation: &Collective, members: &[Member], kinds: &Kinds) {
                $(self.$name.collective(operation, members, kinds);)*
            }

            pub fn end_batch(&mut self) {
                $(self.$name.end_batch();)*
            }

            pub fn conclude(self, context: &Context<'_>, out: &mut Explanation) {
                $(self.$name.conclude(context, out);)*
            }
        }

        /// The texts of all rules of this part.
        pub fn rules() -> impl Iterator<Item = &'static Rule> {
            [$(<super::$name::$rule as QualityRule>::RULES,)*].into_iter().flatten()
        }
    };
}

registry! {
    barriers: Barriers,
    collectives: Collectives,
    datatypes: Datatypes,
    needless: Needless,
    overlap: Overlap,
    polling: Polling,
    recreated: Recreated,
    senders: Senders,
    small: Small,
    small_collectives: SmallCollectives,
    unexpected: Unexpected,
}
