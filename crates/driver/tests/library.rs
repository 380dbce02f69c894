//! The shared library as programs find it: its names, and the table of calls through them.

mod table;

use std::path::PathBuf;

use libloading::Library;

/// The library that was built with this test, which lies beside it.
fn library() -> Library {
    let folder = std::env::current_exe().expect("a test has a file");
    let path: PathBuf = folder.with_file_name(format!("{}warpwise_driver.so", std::env::consts::DLL_PREFIX));
    // SAFETY: the library does nothing when it is loaded.
    unsafe { Library::new(&path) }.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn symbol(library: &Library, name: &str) -> Option<usize> {
    // SAFETY: only the address is taken.
    unsafe { library.get::<*const ()>(name).ok().and_then(|symbol| symbol.try_as_raw_ptr()) }.map(|p| p as usize)
}

#[test]
fn every_name_of_the_header_is_exported() {
    let library = library();
    let names: Vec<_> = warpwise_driver::names().collect();
    assert_eq!(names.len(), 634);
    for (name, ..) in names {
        assert!(symbol(&library, name).is_some_and(|address| address != 0), "{name}");
    }
    for extra in ["cuProfilerStart", "cuProfilerStop", "cuProfilerInitialize"] {
        assert!(symbol(&library, extra).is_some(), "{extra}");
    }
}

/// The table, and then forms with the default stream of the thread, which take the arguments of the plain ones.
#[test]
fn the_table_holds_through_the_library() {
    let library = library();
    let mut run = table::Run::default();
    let (calls, wrong) = run.table(include_str!("calls.txt"), |name| symbol(&library, name));
    assert!(wrong.is_empty(), "{} of {calls}:\n{}", wrong.len(), wrong.join("\n"));
    let text = "0 cuCtxCreate_v2 &u64:context 0 0\n0 cuMemAlloc_v2 &u64:p 64\n\
        0 cuMemsetD32Async_ptsz $p 7 16 0\n0 cuMemcpyDtoH_v2_ptds &u32:value $p+60 4 => value==7\n\
        0 cuStreamSynchronize_ptsz 0\n0 cuCtxDestroy_v2 $context\n";
    let (calls, wrong) = run.table(text, |name| symbol(&library, name));
    assert_eq!((calls, wrong), (6, vec![]));
}
