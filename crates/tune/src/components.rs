//! Open MPI's frameworks and their components, of which each build has its own.

const COMPONENTS: &str = include_str!("../data/components.tsv");

/// Components that no build of Open MPI 5 has. All others that the packages of a version lack may be in other builds of it.
const REMOVED: [(&str, &str); 5] =
    [("btl", "openib"), ("btl", "vader"), ("mtl", "mxm"), ("mtl", "psm"), ("pml", "yalla")];

/// Framework, component, and letters of the packages that have it.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    COMPONENTS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut cells = line.split('\t');
        Some((cells.next()?, cells.next()?, cells.next()?))
    })
}

/// Frameworks and their components in the packages that were read.
pub(crate) fn components() -> impl Iterator<Item = (&'static str, &'static str)> {
    rows().map(|(framework, component, _)| (framework, component))
}

/// Framework and component of a parameter; the component is missing if no package has it.
pub(crate) fn component_of(bare: &str) -> Option<(&'static str, Option<&'static str>)> {
    let begins =
        |text: &str, begin: &str| text.strip_prefix(begin).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    let framework = components()
        .map(|(framework, _)| framework)
        .find(|framework| begins(bare, framework) && bare.len() > framework.len())?;
    let rest = &bare[framework.len() + 1..];
    let own = components().filter(|(other, _)| *other == framework).map(|(_, component)| component);
    let own = own.chain(["base"]).filter(|component| begins(rest, component));
    Some((framework, own.max_by_key(|component| component.len())))
}

/// Whether a parameter that packages lack may be in other builds of the same version, by the component that it belongs to.
pub(crate) fn may_be_in_other_builds(bare: &str, packages: &str) -> bool {
    let Some((framework, component)) = component_of(bare) else { return false };
    let is_in = |seen: &str| seen.contains(|letter| packages.contains(letter));
    let has_framework = rows().any(|(other, _, seen)| other == framework && is_in(seen));
    match component {
        Some("base") => false,
        Some(component) => {
            let is_here = rows().any(|row| (row.0, row.1) == (framework, component) && is_in(row.2));
            has_framework && !is_here && !REMOVED.contains(&(framework, component))
        }
        None => has_framework,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_belong_to_components() {
        assert_eq!(component_of("btl_tcp_eager_limit"), Some(("btl", Some("tcp"))));
        assert_eq!(component_of("btl_base_verbose"), Some(("btl", Some("base"))));
        assert_eq!(component_of("btl_quantum_links"), Some(("btl", None)));
        assert_eq!(component_of("mpi_leave_pinned"), None);
        assert_eq!(component_of("btl"), None);
    }

    #[test]
    fn a_component_may_be_in_other_builds_unless_it_was_removed() {
        let in_five = |bare| may_be_in_other_builds(bare, "cd");
        assert!(in_five("mtl_psm2_path_query") && in_five("btl_usnic_links"));
        assert!(!in_five("btl_openib_mtu") && !in_five("plm_rsh_agent") && !in_five("btl_tcp_nothing"));
        assert!(!in_five("orte_tmpdir_base"));
    }
}
