//! Numbers in parameters.

/// The valid values of a parameter, for the error message.
pub(crate) trait Number: Sized {
    fn read(text: &str) -> Option<Self>;
    fn what() -> String;
}

macro_rules! whole {
    ($($kind:ty)*) => {$(
        impl Number for $kind {
            fn read(text: &str) -> Option<Self> {
                text.parse().ok()
            }
            fn what() -> String {
                format!("a whole number from {} to {}", <$kind>::MIN, <$kind>::MAX)
            }
        }
    )*};
}

whole!(u16 u32 u64 usize i32);

impl Number for f64 {
    fn read(text: &str) -> Option<f64> {
        // `nan` and `inf` are numbers in Rust, but not valid as a moment, a size or the end of an axis.
        text.parse().ok().filter(|value: &f64| value.is_finite())
    }
    fn what() -> String {
        "a number".into()
    }
}

impl Number for bool {
    fn read(text: &str) -> Option<bool> {
        match text {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }
    }
    fn what() -> String {
        "0 or 1".into()
    }
}
