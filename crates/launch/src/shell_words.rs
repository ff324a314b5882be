//! Splits and quotes words like a POSIX shell, without a shell.

/// A text with an unclosed quotation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("missing closing {quote} in: {text}")]
pub struct Unclosed {
    /// `'` or `"`.
    pub quote: char,
    /// The whole text.
    pub text: String,
}

/// The words of a command line. Quotes and backslashes work as in a shell; there are no expansions.
///
/// # Errors
///
/// If a quotation is not closed.
pub fn split(text: &str) -> Result<Vec<String>, Unclosed> {
    let unclosed = |quote| Unclosed { quote, text: text.into() };
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(|| unclosed('\''))? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().ok_or_else(|| unclosed('"'))? {
                        '"' => break,
                        '\\' => match chars.next().ok_or_else(|| unclosed('"'))? {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Joins words into a line that a shell splits into the same words.
pub fn join<S: AsRef<str>>(words: &[S]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quote(word.as_ref())).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_quotes_and_backslashes() {
        let split = |text| split(text).unwrap();
        assert_eq!(split("srun --mpi=pmix"), ["srun", "--mpi=pmix"]);
        assert_eq!(split("  a  'b c' \"d \\\" e\" f\\ g '' "), ["a", "b c", "d \" e", "f g", ""]);
        assert_eq!(split("a'b'\"c\""), ["abc"]);
        assert_eq!(split(r#""\n""#), [r"\n"]);
        assert!(split("").is_empty());
    }

    #[test]
    fn an_open_quote_is_an_error() {
        assert_eq!(split("a 'b").unwrap_err().quote, '\'');
        assert_eq!(split("a \"b\\").unwrap_err().quote, '"');
    }

    #[test]
    fn joined_words_split_back() {
        let words = ["a.out", "it's", "", "x y", "--f=1", "$HOME"];
        assert_eq!(split(&join(&words)).unwrap(), words);
        assert_eq!(join(&["mpirun", "-n", "4"]), "mpirun -n 4");
    }
}
