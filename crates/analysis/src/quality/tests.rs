//! Tiny runs, computed by hand.
