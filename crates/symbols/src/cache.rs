//! Answers kept between questions, for programs that ask more than once.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{ModuleFile, Problem, Resolved, Resolver};

/// Answers for at most this many addresses are kept; then it starts afresh.
const MOST: usize = 1 << 18;

/// A [`Resolver`] that remembers.
#[derive(Default)]
pub struct Cache {
    resolver: Resolver,
    known: HashMap<ModuleFile, HashMap<u64, Arc<Resolved>>>,
    problems: HashMap<ModuleFile, Problem>,
}

impl Cache {
    /// Empty.
    pub fn new(resolver: Resolver) -> Cache {
        Cache { resolver, ..Cache::default() }
    }

    /// As [`Resolver::resolve`]; only addresses not yet asked for open the file.
    pub fn resolve(&mut self, module: &ModuleFile, return_addresses: &[u64]) -> Vec<Arc<Resolved>> {
        if self.known.values().map(HashMap::len).sum::<usize>() > MOST {
            self.known.clear();
        }
        let known = self.known.entry(module.clone()).or_default();
        let mut new: Vec<u64> = return_addresses.iter().copied().filter(|a| !known.contains_key(a)).collect();
        new.sort_unstable();
        new.dedup();
        if !new.is_empty() {
            let found = self.resolver.resolve(module, &new);
            known.extend(new.into_iter().zip(found.resolved.into_iter().map(Arc::new)));
            if let Some(problem) = found.problem {
                self.problems.insert(module.clone(), problem);
            }
        }
        return_addresses.iter().filter_map(|a| known.get(a).cloned()).collect()
    }

    /// What stood in the way of better answers so far.
    pub fn problems(&self) -> impl Iterator<Item = (&ModuleFile, Problem)> {
        self.problems.iter().map(|(module, &problem)| (module, problem))
    }
}
