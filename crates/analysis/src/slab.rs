//! Lists with holes that are used again.

/// Puts a value where one was given back, or at the end; where it is.
pub(crate) fn put<T>(list: &mut Vec<T>, free: &mut Vec<u32>, value: T) -> u32 {
    match free.pop() {
        Some(at) => {
            list[at as usize] = value;
            at
        }
        None => {
            list.push(value);
            list.len() as u32 - 1
        }
    }
}
