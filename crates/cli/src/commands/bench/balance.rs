//! What limits a loop over memory: the machine's balance of arithmetic and memory.

use mpiscope_machine::{Profile, Scope};

/// Below how many operations for each byte memory limits a loop of these ranks, in one sentence.
pub fn sentence(profile: &Profile, scope: Scope) -> Option<String> {
    let suffix = if scope == Scope::All { "_all" } else { "" };
    let find = |id: &str| {
        let id = format!("{id}{suffix}");
        profile.parameters.iter().find(|p| p.scope == scope && p.id == id && p.value > 0.0)
    };
    // Elements of a triad have 64 bits.
    let (peak, memory) = (find("peak_double")?, find("triad_memory")?);
    let mark = if peak.disturbed || memory.disturbed { " *" } else { "" };
    Some(format!(
        "Memory, not arithmetic, limits a loop over memory that makes fewer than {} floating-point operations for each byte \
         ({} / {}){mark}",
        mpiscope_units::significant(peak.value / memory.value),
        peak.id,
        memory.id
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_machine::Parameter;

    #[test]
    fn both_rates_are_of_the_same_ranks() {
        let parameter = |id: &str, scope, value| Parameter { id: id.into(), scope, value, ..Parameter::default() };
        let mut profile = Profile {
            parameters: vec![
                parameter("peak_double", Scope::Rank(0), 256e9),
                parameter("triad_memory", Scope::Rank(0), 20e9),
                parameter("triad_memory_all", Scope::All, 30e9),
            ],
            ..Profile::default()
        };
        let expected = "Memory, not arithmetic, limits a loop over memory that makes fewer than 12.8 floating-point operations for each byte \
                        (peak_double / triad_memory)";
        assert_eq!(sentence(&profile, Scope::Rank(0)).unwrap(), expected);
        assert_eq!(sentence(&profile, Scope::All), None);
        profile.parameters.push(Parameter { disturbed: true, ..parameter("peak_double_all", Scope::All, 480e9) });
        let of_all = sentence(&profile, Scope::All).unwrap();
        assert!(
            of_all.contains("than 16.0 ") && of_all.ends_with("(peak_double_all / triad_memory_all) *"),
            "{of_all}"
        );
    }
}
