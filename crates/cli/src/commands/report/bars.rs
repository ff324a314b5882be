//! One-line pictures.

use super::style::Style;

/// Shares by rank, from 0 to the largest; `?` for an unknown one. If there are more values than `width`, each mark is the mean
/// of several ranks. The second value is the number of ranks for each mark.
pub fn spark(values: &[Option<f64>], width: usize, style: Style) -> (String, usize) {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const ASCII: [char; 8] = ['_', '.', ':', '-', '=', '+', '*', '#'];
    let marks = if style.unicode { BLOCKS } else { ASCII };
    let each = values.len().div_ceil(width.max(1)).max(1);
    let mean = |part: &[Option<f64>]| {
        let known: Vec<f64> = part.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let means: Vec<Option<f64>> = values.chunks(each).map(mean).collect();
    let top = means.iter().flatten().copied().fold(0.0, f64::max);
    let mark = |value: &Option<f64>| match value {
        Some(value) if top > 0.0 => marks[((value / top * 8.0).ceil() as usize).clamp(1, 8) - 1],
        Some(_) => marks[0],
        None => '?',
    };
    (means.iter().map(mark).collect(), each)
}

/// 32 bins as one character each: tenths of the whole, `*` for all, `.` for 0.
pub fn bins(parts: &[u64; 32]) -> String {
    let whole: u128 = parts.iter().map(|&p| u128::from(p)).sum();
    let one = |&part: &u64| match u128::from(part) {
        0 => '.',
        part if part == whole => '*',
        // Rounded, but only the whole is shown as ten tenths.
        part => char::from(b'0' + ((part * 10 + whole / 2) / whole).min(9) as u8),
    };
    parts.iter().map(one).collect()
}

/// Header above [`bins`]: marks the bins of 0 bytes, 1 byte, 1 KiB, 1 MiB, 1 GiB.
pub const RULER: &str = "01.........K.........M.........G";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparks() {
        let style = Style { unicode: true, width: 80 };
        assert_eq!(spark(&[Some(0.0), Some(0.25), None, Some(0.5), Some(1.0)], 10, style), ("▁▂?▄█".into(), 1));
        assert_eq!(spark(&[Some(0.1); 100], 10, style), ("██████████".into(), 10));
        assert_eq!(spark(&[Some(0.0), Some(1.0)], 9, Style { unicode: false, ..style }).0, "_#");
        assert_eq!(spark(&[], 10, style), (String::new(), 1));
    }

    #[test]
    fn bins_are_tenths() {
        let mut parts = [0; 32];
        parts[11] = 7;
        assert_eq!(&bins(&parts)[10..13], ".*.");
        (parts[0], parts[31]) = (1, 92);
        assert_eq!(bins(&parts), "0..........1...................9");
        for (mark, size) in [('0', 0), ('1', 1), ('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)] {
            assert_eq!(RULER.find(mark), Some(mpiscope_run::bin_of(size).into()));
        }
    }
}
