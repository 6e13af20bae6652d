//! A question about a trace.

use ducktrack_count_model::CountModel;
use ducktrack_heap_replay::{Analysis, Heap};

/// An [`Analysis`] that has an answer when the trace has ended, or several
/// as a tuple. Answers come by type, each from the folder of its analysis.
pub trait Question: Sized {
    /// The result of the analysis. `SiteIndex` values in it are rows of the sites of the [`CountModel`].
    type Answer;

    /// The analyses that listen to the replay. `count` has the definitions of the run.
    fn analyses(&mut self, count: &CountModel) -> Vec<&mut dyn Analysis>;

    /// The answer, when the replay has ended.
    fn finish(self, heap: &Heap, count: &CountModel) -> Self::Answer;
}

macro_rules! several {
    ($($one:ident)*) => {
        #[allow(non_snake_case, reason = "type parameters name the parts")]
        impl<$($one: Question),*> Question for ($($one,)*) {
            type Answer = ($($one::Answer,)*);

            fn analyses(&mut self, count: &CountModel) -> Vec<&mut dyn Analysis> {
                let ($($one,)*) = self;
                let parts: Vec<Vec<&mut dyn Analysis>> = vec![$($one.analyses(count)),*];
                parts.into_iter().flatten().collect()
            }

            fn finish(self, heap: &Heap, count: &CountModel) -> Self::Answer {
                let ($($one,)*) = self;
                ($($one.finish(heap, count),)*)
            }
        }
    };
}

/// Nothing but the facts of the trace.
impl Question for () {
    type Answer = ();

    fn analyses(&mut self, _count: &CountModel) -> Vec<&mut dyn Analysis> {
        Vec::new()
    }

    fn finish(self, _heap: &Heap, _count: &CountModel) {}
}

several!(A B);
several!(A B C);
several!(A B C D);
several!(A B C D E);
