//! All checks of a launch, one after the other, in one loop.

/// Makes the list of checks, and the code that runs those that are on.
///
/// The list is the only place that names a check. From it come [`CHECKS`](super::CHECKS); `Prepared`, what the checks
/// compute before a launch; and `Suite`, the checks of a host thread, whose calls are compiled into one loop like those
/// of a single type. A check that is off costs one comparison.
macro_rules! suite {
    ($($module:ident: $check:ty),* $(,)?) => {
        /// Every check.
        pub const CHECKS: &[CheckEntry] = &[$($module::ENTRY),*];

        /// What the checks that are on have computed before the launch.
        pub(super) struct Prepared<'p> {
            $($module: Option<<$check as Check<'p>>::Prepared>,)*
        }

        impl<'p> Prepared<'p> {
            fn new(plan: &Plan<'p>, checks: Checks) -> Self {
                Self { $($module: checks.has($module::ENTRY.name).then(|| <$check as Check<'p>>::prepare(plan)),)* }
            }

            /// Whether any check wants to hear of an instruction.
            fn wants(&self, pc: u32, event: &Event) -> bool {
                false $(|| self.$module.as_ref().is_some_and(|p| <$check as Check<'p>>::wants(p, pc, event)))*
            }
        }

        /// The checks of a host thread.
        pub(super) struct Suite<'p> {
            $($module: Option<$check>,)*
        }

        impl<'p> Suite<'p> {
            fn new(plan: &'p Plan<'p>, prepared: &'p Prepared<'p>) -> Self {
                Self { $($module: prepared.$module.as_ref().map(|p| <$check as Check<'p>>::new(plan, p)),)* }
            }

            fn footprint(&self, plan: &Plan<'_>) -> usize {
                0 $(+ self.$module.as_ref().map_or(0, |check| check.footprint(plan)))*
            }

            /// Whether any check wants to hear of every instruction.
            #[inline(always)]
            fn follows(&self) -> bool {
                false $(|| self.$module.as_ref().is_some_and(|check| check.follows()))*
            }

            #[inline(always)]
            fn limits(&self, warp: &Warp<'_>, pc: u32) -> Option<(u64, u64)> {
                $(if let Some(check) = &self.$module
                    && let Some(limits) = check.limits(warp, pc)
                {
                    return Some(limits);
                })*
                None
            }

            #[inline(always)]
            fn fits(
                &self,
                warp: &Warp<'_>,
                pc: u32,
                write: bool,
                span: (u64, u64),
                runs: impl Iterator<Item = Run> + Clone,
            ) -> bool {
                true $(&& self.$module.as_ref().is_none_or(|c| c.fits(warp, pc, write, span, runs.clone())))*
            }

            #[inline(always)]
            fn again(
                &mut self,
                scene: &mut Scene<'p>,
                at: &At<'_>,
                kind: Kind,
                span: (u64, u64),
                runs: impl ExactSizeIterator<Item = Run> + Clone,
            ) {
                $(if let Some(check) = &mut self.$module {
                    check.again(scene, at, kind, span, runs.clone());
                })*
            }

            /// What checks could not examine.
            fn notes(&self) -> impl Iterator<Item = &'static str> {
                [$(self.$module.as_ref().and_then(|check| check.note())),*].into_iter().flatten()
            }
        }

        suite!(@tell [$($module)*]
            block_starts(block: &BlockState);
            shared(scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind);
            distant(scene: &mut Scene<'p>, at: &At<'_>, slot: usize, run: Run, kind: Kind);
            global(scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind, place: (usize, u64));
            local(scene: &mut Scene<'p>, at: &At<'_>, run: Run);
            strays(scene: &mut Scene<'p>, at: &At<'_>, run: Run, limits: (u64, u64));
            copy_starts(scene: &mut Scene<'p>, at: &At<'_>, run: Run);
            copy_lands(scene: &mut Scene<'p>, at: &At<'_>, run: Run);
            copy_tells(scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind);
            called(warp: &Warp<'_>, function: u32);
            branches(warp: &Warp<'_>, pc: u32, mask: u32);
            arrives(warp: &Warp<'_>, id: u32, arrival: &Arrival);
            meets(scene: &mut Scene<'p>, block: &BlockState, id: u32, arrivals: &[Arrival], whole: bool);
            cluster_meets(cluster: &ClusterState);
            lanes_come(scene: &mut Scene<'p>, at: &At<'_>, masks: Option<&[u32; 32]>);
            lanes_meet(scene: &mut Scene<'p>, at: &At<'_>, event: &Event, brought: Option<&Brought>);
            fence(warp: &Warp<'_>, order: Order, scope: Scope, mask: u32);
            divides_by_zero(scene: &mut Scene<'p>, at: &At<'_>);
            executes(scene: &mut Scene<'p>, warp: &Warp<'_>, pc: u32, mask: u32);
            stores(scene: &mut Scene<'p>, at: &At<'_>, addresses: &[u64; 32]);
        );
    };
    (@tell $modules:tt $($call:ident $arguments:tt;)*) => {
        impl<'p> Suite<'p> {
            $(suite!(@call $modules $call $arguments);)*
        }
    };
    (@call $modules:tt $call:ident ($($argument:ident: $type:ty),*)) => {
        suite!(@each $modules $call ($($argument: $type),*) ($($argument),*));
    };
    (@each [$($module:ident)*] $call:ident ($($argument:ident: $type:ty),*) $values:tt) => {
        #[inline(always)]
        fn $call(&mut self, $($argument: $type),*) {
            $(if let Some(check) = &mut self.$module {
                check.$call $values;
            })*
        }
    };
}

pub(super) use suite;
