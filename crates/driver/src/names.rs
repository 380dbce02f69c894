//! Every name that `cuda.h` of CUDA 13.0 declares, with the name and version that `cuGetProcAddress` knows it by.
//!
//! A base name has one form for each version of the API that changed it, and for some a form (`_ptsz`, `_ptds`) whose
//! default stream is that of the calling thread.

use crate::api;

/// One exported symbol.
pub(crate) struct Name {
    /// The symbol.
    pub(crate) symbol: &'static str,
    /// What `cuGetProcAddress` calls it.
    pub(crate) base: &'static str,
    /// The version of CUDA that introduced this form, such as 12080.
    pub(crate) version: u32,
    /// The function, whatever it takes.
    pub(crate) function: unsafe extern "C" fn(),
}

impl Name {
    /// Whether its default stream is that of the calling thread.
    pub(crate) fn is_per_thread(&self) -> bool {
        self.symbol.ends_with("_ptsz") || self.symbol.ends_with("_ptds")
    }
}

macro_rules! names {
    ($($symbol:ident $base:ident $version:literal;)*) => {
        /// All of them, by symbol.
        pub(crate) static NAMES: &[Name] = &[$(Name {
            symbol: stringify!($symbol),
            base: stringify!($base),
            version: $version,
            // SAFETY: a pointer to a function; only callers that know its arguments call it.
            function: unsafe { std::mem::transmute::<*const (), unsafe extern "C" fn()>(api::$symbol as *const ()) },
        },)*];
    };
}

warpwise_trace::driver_names!(names);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_whole() {
        assert_eq!(NAMES.len(), 634);
        assert!(NAMES.windows(2).all(|pair| pair[0].symbol < pair[1].symbol));
        assert_eq!(NAMES.iter().filter(|name| name.is_per_thread()).count(), 97);
    }

    #[test]
    fn versions_of_a_name_differ() {
        for (at, name) in NAMES.iter().enumerate() {
            assert!(name.symbol.starts_with(name.base), "{}", name.symbol);
            let twin = NAMES[at + 1..].iter().find(|other| {
                (other.base, other.version, other.is_per_thread()) == (name.base, name.version, name.is_per_thread())
            });
            assert!(twin.is_none(), "{}", name.symbol);
        }
    }
}
