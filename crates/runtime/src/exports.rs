//! How a name of the runtime API is defined.

/// Defines functions of the runtime API under their own names, for C.
///
/// A body is the inside of an unsafe block and ends in a [`Status`](crate::status::Status). What it returns becomes the
/// thread's last error. `ptsz(stream) name` before a function adds the form for programs whose default stream is one a
/// thread, `ptds name` the form of a function that has no stream, and `same name` a second name.
#[macro_export]
#[doc(hidden)]
macro_rules! exports {
    () => {};
    (ptsz($stream:ident) $other:ident fn $name:ident $arguments:tt $body:block $($rest:tt)*) => {
        $crate::exports!(@define $name $arguments $body);
        $crate::exports!(@per_thread $stream $other $name $arguments);
        $crate::exports! { $($rest)* }
    };
    (ptds $other:ident fn $name:ident $arguments:tt $body:block $($rest:tt)*) => {
        $crate::exports!(@define $name $arguments $body);
        $crate::exports!(@same $other $name $arguments);
        $crate::exports! { $($rest)* }
    };
    (same $other:ident fn $name:ident $arguments:tt $body:block $($rest:tt)*) => {
        $crate::exports!(@define $name $arguments $body);
        $crate::exports!(@same $other $name $arguments);
        $crate::exports! { $($rest)* }
    };
    (fn $name:ident $arguments:tt $body:block $($rest:tt)*) => {
        $crate::exports!(@define $name $arguments $body);
        $crate::exports! { $($rest)* }
    };
    (@define $name:ident ($($argument:ident: $kind:ty),* $(,)?) $body:block) => {
        #[doc = concat!("`", stringify!($name), "` of the runtime API.")]
        #[unsafe(no_mangle)]
        #[allow(unused_unsafe, reason = "a few bodies only look at numbers")]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> i32 {
            // SAFETY: the caller keeps to the API's contract for these arguments.
            $crate::status::entry(|| unsafe { $body })
        }
    };
    (@per_thread $stream:ident $other:ident $name:ident ($($argument:ident: $kind:ty),* $(,)?)) => {
        #[doc = concat!("`", stringify!($name), "` where the default stream is the thread's own.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $other($($argument: $kind),*) -> i32 {
            let $stream = $crate::stream::per_thread($stream);
            // SAFETY: the contract of both is the same.
            unsafe { $name($($argument),*) }
        }
    };
    (@same $other:ident $name:ident ($($argument:ident: $kind:ty),* $(,)?)) => {
        #[doc = concat!("`", stringify!($name), "` under another name.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $other($($argument: $kind),*) -> i32 {
            // SAFETY: the contract of both is the same.
            unsafe { $name($($argument),*) }
        }
    };
}

/// Names that exist so that programs start, and answer that they are not supported.
#[macro_export]
#[doc(hidden)]
macro_rules! unsupported {
    ($($name:ident)*) => { $(
        #[doc = concat!("`", stringify!($name), "`, which is not supported.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> i32 {
            $crate::status::unsupported(stringify!($name))
        }
    )* };
}
