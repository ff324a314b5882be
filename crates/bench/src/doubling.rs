//! Numbers of ranks, pairs or processors that experiments compare: 1, 2, 4, … up to all.

/// `first` and its doubles below `end`.
pub fn doubles(first: usize, end: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(first), |number| number.checked_mul(2)).take_while(move |&number| number < end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_below_the_end() {
        let of = |first, end| doubles(first, end).collect::<Vec<_>>();
        assert_eq!(of(2, 16), [2, 4, 8]);
        assert_eq!(of(2, 17), [2, 4, 8, 16]);
        assert_eq!([of(2, 0), of(2, 1), of(2, 2), of(2, 3)], [vec![], vec![], vec![], vec![2]]);
        assert_eq!(of(1, usize::MAX).len(), usize::BITS as usize);
    }
}
