use super::*;
use crate::options::{OnFull, StackDepth, Trace};
use std::fs;

/// A directory with an `mpiscope.toml`.
struct Lab(tempfile::TempDir);

impl Lab {
    fn new(text: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(FILE_NAME), text).unwrap();
        Self(dir)
    }

    fn resolve(&self, typed: &[(&str, &str)], variables: &[(&str, &str)]) -> Result<Resolved, SettingsError> {
        let mut all = Typed::default();
        for (name, value) in typed {
            match *name {
                "profile" => all.profile = Some((*value).to_owned()),
                "config" => all.config = Choice::Given(value.into()),
                "no-config" => all.config = Choice::None,
                name => all.values.push((Spec::named(name).unwrap(), value.into())),
            }
        }
        let lookup = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
        resolve(&all, &lookup, self.0.path())
    }

    fn said(&self, typed: &[(&str, &str)], variables: &[(&str, &str)]) -> String {
        let text = self.resolve(typed, variables).unwrap_err().to_string();
        text.replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn origin<'a>(resolved: &'a Resolved, name: &str) -> &'a Origin {
    &resolved.origins.iter().find(|(spec, _)| spec.name == name).unwrap().1
}

const LADDER: &str = "
stack = 1
buffer = '2M'
on-full = 'grow'
spool = 'live'
[profile.mine]
inherits = 'base'
stack = 2
[profile.base]
stack = 3
buffer = '3M'
inherits = 'light'
";

#[test]
fn each_rung_of_the_ladder() {
    let lab = Lab::new(LADDER);
    let none = lab.resolve(&[("no-config", "")], &[]).unwrap();
    assert_eq!(none.settings, Settings::default());
    assert_eq!(none.note, ConfigNote::default());
    assert!(none.origins.iter().all(|(_, origin)| *origin == Origin::Default));

    let file = lab.resolve(&[], &[]).unwrap();
    let values = &file.settings.collector;
    assert_eq!((values.stack, values.buffer_bytes, values.on_full), (StackDepth(1), 2 << 20, OnFull::Grow));
    assert_eq!(file.settings.spool, Some(lab.0.path().join("live")));
    let at = At { file: lab.0.path().join(FILE_NAME), line: 2 };
    assert_eq!(*origin(&file, "stack"), Origin::File { at: at.clone() });
    assert_eq!(file.note.text(), Some(at.file.display().to_string()));

    let profile = lab.resolve(&[("profile", "mine")], &[]).unwrap();
    let values = &profile.settings.collector;
    assert_eq!((values.stack, values.buffer_bytes, values.trace), (StackDepth(2), 3 << 20, Trace::Off));
    assert_eq!(values.on_full, OnFull::Grow);
    assert_eq!(*origin(&profile, "trace"), Origin::Profile { profile: "light".into(), at: None });
    let Origin::Profile { profile: name, at: Some(at) } = origin(&profile, "buffer") else { panic!() };
    assert_eq!((name.as_str(), at.line), ("base", 11));
    assert!(profile.note.text().unwrap().starts_with("profile mine, /"));

    let variables = [("MPISCOPE_PROFILE", "mine"), ("MPISCOPE_STACK", "5"), ("MPISCOPE_BUFFER", "5M")];
    let environment = lab.resolve(&[("buffer", "6M")], &variables).unwrap();
    let values = &environment.settings.collector;
    assert_eq!((values.stack, values.buffer_bytes, values.trace), (StackDepth(5), 6 << 20, Trace::Off));
    assert_eq!(*origin(&environment, "stack"), Origin::Environment { variable: "MPISCOPE_STACK" });
    assert_eq!(*origin(&environment, "buffer"), Origin::CommandLine);
    let typed = lab.resolve(&[("profile", "full")], &variables).unwrap();
    assert_eq!(typed.note.profile.as_deref(), Some("full"));
    assert_eq!(typed.settings.collector.stack, StackDepth(5));
}

#[test]
fn profiles_that_are_not_there_or_go_round() {
    let lab = Lab::new("[profile.deep]\nstack = 8");
    assert_eq!(lab.said(&[("profile", "dep")], &[]), "--profile: unknown profile 'dep'; did you mean 'deep'?");
    assert_eq!(lab.said(&[], &[("MPISCOPE_PROFILE", "zebra")]), "MPISCOPE_PROFILE: unknown profile 'zebra'");
    let error = lab.resolve(&[("profile", "ligth")], &[]).unwrap_err();
    assert!(error.to_string().ends_with("did you mean 'light'?"));
    assert!(error.next_steps()[0].starts_with("--profile deep|full|light "), "{:?}", error.next_steps());

    // Also when nobody asks for it.
    let lab = Lab::new("[profile.a]\ninherits = 'b'\n[profile.b]\ninherits = 'c'\n[profile.c]\ninherits = 'b'");
    assert_eq!(lab.said(&[], &[]), "mpiscope.toml:6: profiles inherit from each other in a cycle: b → c → b");
    let lab = Lab::new("[profile.light]\ninherits = 'light'");
    assert_eq!(lab.said(&[], &[]), "mpiscope.toml:2: profiles inherit from each other in a cycle: light → light");
    let lab = Lab::new("[profile.a]\ninherits = 'lihgt'");
    assert_eq!(lab.said(&[], &[]), "mpiscope.toml:2: unknown profile 'lihgt'; did you mean 'light'?");
}

#[test]
fn a_file_s_profile_takes_the_place_of_a_built_in() {
    let lab = Lab::new("[profile.light]\nstack = 7");
    let resolved = lab.resolve(&[("profile", "light")], &[]).unwrap();
    assert_eq!(resolved.settings.collector.stack, StackDepth(7));
    assert_eq!(resolved.settings.collector.trace, Trace::On);
    let names: Vec<_> = resolved.profiles.iter().map(|known| (known.name.as_str(), known.at.is_some())).collect();
    assert_eq!(names, [("light", true), ("full", false)]);
}

#[test]
fn the_file_can_be_given() {
    let lab = Lab::new("stack = 1");
    fs::write(lab.0.path().join("other.toml"), "stack = 2").unwrap();
    let stack = |typed: &[(&str, &str)], variables: &[(&str, &str)]| {
        lab.resolve(typed, variables).unwrap().settings.collector.stack.0
    };
    assert_eq!(stack(&[], &[]), 1);
    assert_eq!(stack(&[], &[("MPISCOPE_CONFIG", "other.toml")]), 2);
    assert_eq!(stack(&[("config", "mpiscope.toml")], &[("MPISCOPE_CONFIG", "other.toml")]), 1);
    assert_eq!(stack(&[("no-config", "")], &[("MPISCOPE_CONFIG", "other.toml")]), 0);
    assert!(lab.said(&[("config", "none.toml")], &[]).starts_with("cannot read the configuration file none.toml:"));
}

#[test]
fn values_are_told_with_where_they_were_given() {
    let lab = Lab::new("");
    assert_eq!(lab.said(&[("buffer", "1K")], &[]), "--buffer: a buffer of 1K is too small: the minimum is 1M");
    assert_eq!(
        lab.said(&[], &[("MPISCOPE_ON_FULL", "burst")]),
        "MPISCOPE_ON_FULL: 'burst' is not one of wrap, grow, stop"
    );
}
