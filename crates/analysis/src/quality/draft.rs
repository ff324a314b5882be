//! From numbers to a finding.

use mpiscope_store::Dimensions;

use super::kinds::Kinds;
use super::sample::Top;
use crate::explanation::{Confidence, Finding, Remedy, Rule, Scope, Value};

/// A finding in the making.
pub(crate) struct Draft(Finding);

/// Groups of calls whose own time a finding is about.
fn calls_of(groups: &[u32], kinds: &Kinds) -> Vec<(u32, u32)> {
    let of_rank = |rank: usize| {
        let infos = kinds.of_rank(rank).iter().enumerate().filter(|(_, info)| groups.contains(&info.group));
        infos.map(move |(facts, _)| (rank as u32, facts as u32))
    };
    (0..kinds.ranks()).flat_map(of_rank).collect()
}

impl Draft {
    pub fn new(rule: &Rule, confidence: Confidence, scope: &Scope, cost_ns: u64) -> Draft {
        let share = if scope.rank_time_ns > 0 { cost_ns as f64 / scope.rank_time_ns as f64 } else { 0.0 };
        Draft(Finding { cost_ns, share: share.min(1.0), confidence, ..Finding::of(rule) })
    }

    pub fn describe(mut self, title: String, text: String, advice: String) -> Draft {
        (self.0.title, self.0.text, self.0.advice) = (title, text, advice);
        self
    }

    /// Places, those that cost most first: without the finding, calls there take less by what it costs.
    pub fn at(mut self, groups: impl IntoIterator<Item = u32>, kinds: &Kinds, dimensions: &Dimensions) -> Draft {
        let groups: Vec<u32> = groups.into_iter().collect();
        self.0.remedy = Some(Remedy::quicker(calls_of(&groups, kinds).into_iter(), self.0.cost_ns));
        self.named(&groups, kinds, dimensions)
    }

    /// Names the places of these groups.
    fn named(mut self, groups: &[u32], kinds: &Kinds, dimensions: &Dimensions) -> Draft {
        for &group in groups {
            for (list, name) in [
                (&mut self.0.sites, kinds.site(group, dimensions)),
                (&mut self.0.regions, kinds.region(group, dimensions)),
            ] {
                if let Some(name) = name.filter(|n| !list.contains(n) && list.len() < 16) {
                    list.push(name);
                }
            }
        }
        self
    }

    /// It is also about calls of these groups.
    pub fn and_calls_of(mut self, groups: &[u32], kinds: &Kinds, dimensions: &Dimensions) -> Draft {
        if let Some(remedy) = self.0.remedy.take() {
            let known = remedy.calls.iter().flat_map(|calls| calls.iter().copied());
            let calls: Vec<(u32, u32)> = known.chain(calls_of(groups, kinds)).collect();
            self.0.remedy = Some(Remedy::quicker(calls.into_iter(), remedy.inside_ns));
        }
        self.named(groups, kinds, dimensions)
    }

    /// What it saves is less, by something that is not known.
    pub fn at_most(mut self) -> Draft {
        self.0.is_bound = true;
        self
    }

    /// Who pays: ranks with at least a twentieth of what the one with most pays.
    pub fn paid_by(mut self, costs_ns: &[u64], dimensions: &Dimensions) -> Draft {
        let most = costs_ns.iter().copied().max().unwrap_or(0);
        let ranks = dimensions.ranks.iter().zip(costs_ns).filter(|&(_, &ns)| ns > 0 && ns >= most / 20);
        self.0.ranks = ranks.map(|(row, _)| row.world_rank).collect();
        self
    }

    /// Who causes it.
    pub fn caused_by(mut self, ranks: impl IntoIterator<Item = i32>) -> Draft {
        self.0.cause_ranks = ranks.into_iter().collect();
        self
    }

    /// How the run would be without it, where that is not quicker calls.
    pub fn without(mut self, remedy: impl FnOnce(Remedy) -> Option<Remedy>) -> Draft {
        self.0.remedy = self.0.remedy.and_then(remedy);
        self
    }

    pub fn int(mut self, key: &'static str, value: u64) -> Draft {
        self.0.evidence.insert(key, Value::Int(value));
        self
    }

    pub fn float(mut self, key: &'static str, value: f64) -> Draft {
        self.0.evidence.insert(key, Value::Float(value));
        self
    }

    pub fn list(mut self, key: &'static str, values: impl IntoIterator<Item = Value>) -> Draft {
        self.0.evidence.insert(key, Value::List(values.into_iter().collect()));
        self
    }

    pub fn proven_by(mut self, top: &Top, dimensions: &Dimensions) -> Draft {
        self.0.proof = top.proofs(dimensions);
        self
    }

    pub fn done(self) -> Finding {
        self.0
    }
}

/// ` at function file:line`, or nothing.
pub(crate) fn at_site(site: Option<&str>) -> String {
    site.map_or(String::new(), |s| format!(" at {s}"))
}
