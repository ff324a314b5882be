//! Which ranks cause which kind of wait.

use rustc_hash::FxHashMap;

use crate::explanation::WaitKind;
use crate::explanation::efficiency::Delayer;

/// Time of waits by kind and by the rank that was late without waiting itself, ns. Each moment of waiting counts once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Behind(FxHashMap<(WaitKind, Delayer), u64>);

impl Behind {
    /// `who` caused this much of a wait.
    pub fn add(&mut self, kind: WaitKind, who: Delayer, ns: u64) {
        *self.0.entry((kind, who)).or_default() += ns;
    }

    /// Waits of these kinds, and how much of them is caused by ranks for which `is_cause` is true.
    pub fn share_of(&self, kinds: &[WaitKind], is_cause: impl Fn(&Delayer) -> bool) -> (u64, u64) {
        let of_kind = self.0.iter().filter(|((kind, _), _)| kinds.contains(kind));
        of_kind.fold((0, 0), |(all, caused), ((_, who), ns)| (all + ns, caused + if is_cause(who) { *ns } else { 0 }))
    }
}
