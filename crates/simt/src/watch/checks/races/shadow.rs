//! The cells of global memory, shared by all host threads: pages, created when first touched.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::page::Page;
use crate::memory::View;

/// Bytes of memory that a page covers.
pub(super) const PAGE: u64 = 4096;
/// Memory that all pages of a launch may take.
const LIMIT: usize = 4 << 30;

/// The pages of an allocation.
type Pages = Box<[OnceLock<Box<Mutex<Page>>>]>;

/// The pages of all allocations of a launch.
#[derive(Debug)]
pub(crate) struct Shadow {
    views: Vec<Pages>,
    used: AtomicUsize,
    limit: usize,
}

impl Shadow {
    pub(crate) fn new(views: &[View], checked: impl Fn(&View) -> bool) -> Self {
        let pages = |v: &View| if checked(v) { (v.end - v.base).div_ceil(PAGE) } else { 0 };
        let views = views.iter().map(|v| (0..pages(v)).map(|_| OnceLock::new()).collect()).collect();
        Self { views, used: AtomicUsize::new(0), limit: LIMIT }
    }

    /// The page that covers an offset in an allocation; `None` if memory for pages has run out.
    pub(super) fn page(&self, view: usize, offset: u64) -> Option<MutexGuard<'_, Page>> {
        let cell = self.views.get(view)?.get((offset / PAGE) as usize)?;
        let page = match cell.get() {
            Some(page) => page,
            None => {
                let page = Page::new(PAGE as usize);
                if !self.grow(page.footprint()) {
                    return None;
                }
                cell.get_or_init(|| Box::new(Mutex::new(page)))
            }
        };
        Some(page.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A page takes more memory; false if that is too much.
    pub(super) fn grow(&self, bytes: usize) -> bool {
        self.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) <= self.limit
    }

    /// Whether accesses to an allocation are checked.
    pub(super) fn covers(&self, view: usize) -> bool {
        self.views.get(view).is_some_and(|pages| !pages.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_made_when_touched_until_memory_runs_out() {
        let view = View::new(1 << 40, 10 * PAGE, std::ptr::null_mut());
        let mut shadow = Shadow::new(&[view, view], |_| true);
        assert_eq!(shadow.used.load(Ordering::Relaxed), 0);
        assert!(shadow.page(1, 0).is_some() && shadow.page(1, 4000).is_some());
        let one = shadow.used.load(Ordering::Relaxed);
        assert_eq!(one, Page::new(PAGE as usize).footprint());
        shadow.limit = one;
        assert!(shadow.page(0, 0).is_none(), "no room for a second");
        assert!(shadow.page(1, 100).is_some(), "what is there stays");
        assert!(shadow.page(1, 11 * PAGE).is_none() && shadow.page(2, 0).is_none());
        assert!(!Shadow::new(&[view], |_| false).covers(0));
    }
}
