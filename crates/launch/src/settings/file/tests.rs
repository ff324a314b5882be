use super::*;

fn parse(text: &str) -> Result<ConfigFile, SettingsError> {
    ConfigFile::parse(Path::new("/p/mpiscope.toml"), text)
}

fn said(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn every_type_of_a_value() {
    let text = r#"
        buffer = 33_554_432
        trace = false
        stack = 0x10
        probes = ["none", "+MPI_Send"]
        ranks = [0, "7-11"]
        spool = "live"
        mpi = "/l/libmpi.so"
        launcher = "srun --mpi=pmix"
        [profile.a]
        buffer = "64M"
        trace = "on"
        ranks = 3
    "#;
    let file = parse(text).unwrap();
    let shown = |layer: &Layer| -> Vec<String> {
        let values = layer.values.iter();
        values.map(|entry| format!("{}={}", entry.spec.name, entry.value.display())).collect()
    };
    assert_eq!(
        shown(&file.top),
        [
            "buffer=33554432",
            "trace=off",
            "stack=16",
            "probes=none,+MPI_Send",
            "ranks=0,7-11",
            "spool=/p/live",
            "mpi=/l/libmpi.so",
            "launcher=srun --mpi=pmix"
        ]
    );
    assert_eq!(shown(&file.profiles["a"].layer), ["buffer=64M", "trace=on", "ranks=3"]);
    assert_eq!(file.top.values[1].at.line, 3);
    assert_eq!(file.profiles["a"].at.line, 10);
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (text, told) in [
        ("\nbufer = 1", "/p/mpiscope.toml:2: unknown option 'bufer'; did you mean 'buffer'?"),
        ("on_full = 'wrap'", "/p/mpiscope.toml:1: unknown option 'on_full'; did you mean 'on-full'?"),
        ("[profiles.a]", "/p/mpiscope.toml:1: unknown option 'profiles'; did you mean 'profile'?"),
        ("colour = 1", "/p/mpiscope.toml:1: unknown option 'colour'"),
        ("[profile.a]\ninherit = 'b'", "/p/mpiscope.toml:2: unknown option 'inherit'; did you mean 'inherits'?"),
        ("stack = '4'", "/p/mpiscope.toml:1: 'stack' must be a whole number, not a string"),
        ("start = 4", "/p/mpiscope.toml:1: 'start' must be a word in quotes, not an integer"),
        (
            "probes = [1.5]",
            "/p/mpiscope.toml:1: 'probes' must be a string such as \"a,b\", or an array of strings and integers, not an array of such values",
        ),
        (
            "trace = [true]",
            "/p/mpiscope.toml:1: 'trace' must be \"on\" or \"off\", or true or false, not an array of such values",
        ),
        ("spool = true", "/p/mpiscope.toml:1: 'spool' must be a path in quotes, not a boolean"),
        (
            "profile = 'light'",
            "/p/mpiscope.toml:1: 'profile' must be a table for each profile: [profile.NAME], not a string",
        ),
        ("profile.a = 1", "/p/mpiscope.toml:1: 'a' must be options: [profile.NAME], not an integer"),
        ("[profile.a]\ninherits = 1", "/p/mpiscope.toml:2: 'inherits' must be the name of a profile, not an integer"),
        ("stack = 65", "/p/mpiscope.toml:1: 'stack': invalid stack depth '65': write a number from 0 to 64"),
        ("stack = -1", "/p/mpiscope.toml:1: 'stack': invalid stack depth '-1': write a number from 0 to 64"),
        ("buffer = 5", "/p/mpiscope.toml:1: 'buffer': a buffer of 5 is too small: the minimum is 1M"),
        ("[profile.a]\non-full = 'burst'", "/p/mpiscope.toml:2: 'on-full': 'burst' is not one of wrap, grow, stop"),
        (
            "probes = 'mpi_col'",
            "/p/mpiscope.toml:1: 'probes': unknown probe group or function 'mpi_col'; the nearest name is 'mpi_coll'",
        ),
        ("output = ''", "/p/mpiscope.toml:1: 'output': the value is empty"),
        (
            "force = true",
            "/p/mpiscope.toml:1: 'force' is allowed only on the command line: a file must not overwrite runs",
        ),
        ("n = 4", "/p/mpiscope.toml:1: 'n' is allowed only on the command line"),
        ("zebra = 1\nstock = 1", "/p/mpiscope.toml:1: unknown option 'zebra'"),
    ] {
        assert_eq!(said(text), told, "{text}");
    }
}

#[test]
fn syntax_errors_have_a_line() {
    for (text, line) in [("\n\nbuffer =", 3), ("stack = 1\nstack = 2", 2), ("[profile.a", 1), ("x = \"\n", 1)] {
        let said = said(text);
        assert!(said.starts_with(&format!("/p/mpiscope.toml:{line}: ")), "{text:?}: {said}");
        assert!(!said.contains('\n'));
    }
}

/// Any text ends in a result or an error.
#[test]
fn no_text_is_too_strange() {
    let whole = "buffer = \"64M\"\n[profile.a]\ninherits = 'b'\nprobes = [ \"all\", '-mpi_time' ]\n# é\n";
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        for tail in ["", "]", "\"", "\0", "é", "{{{{", "= 1979-05-27T07:32:00Z"] {
            let _ = parse(&format!("{}{tail}", &whole[..end]));
        }
    }
    let _ = parse(&format!("probes = {}", "[".repeat(100_000)));
    let _ = parse(&"a.".repeat(100_000));
}
