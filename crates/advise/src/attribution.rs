//! Divides the objects of all sites among the lines that asked for them.

use std::sync::Arc;

use ducktrack_count_model::{
    AllocationKind, CallRow, CountModel, CountedCallRow, MethodIndex, MethodRow, SiteIndex,
    SitePart, SiteRow, Tally, is_of_jdk,
};
use ducktrack_profile::{Profile, ProfileRow};
use rustc_hash::FxHashSet;

use crate::counted_askers::CountedAskers;
use crate::heap_share::HeapShares;
use crate::owner::{Asked, Owners, is_hidden, place, sites_of_once};
use crate::portion::{Basis, Portion, Site};
use crate::seen_askers::{SeenAsker, SeenAskers};
use crate::unclear::Unclear;

/// Method and line of a tracked call.
type CallPlace = (MethodIndex, Option<u16>);

/// The objects of a run by the lines that asked for them.
pub(crate) struct Attributed<'m> {
    pub(crate) portions: Vec<Portion<'m>>,
    /// Objects made in the JDK whose caller is not known: any line may have asked for them.
    pub(crate) unexplained: Tally,
}

/// All portions of a run.
pub(crate) fn portions<'m>(model: &'m CountModel, profile: &Profile) -> Attributed<'m> {
    let mut work = Attribution {
        model,
        profile,
        shares: HeapShares::of(model, profile),
        owners: Owners::of(model),
        once: sites_of_once(profile),
        askers: CountedAskers::of(model),
        chains: ends_of_chains(model),
        settled: FxHashSet::default(),
        seen: SeenAskers::default(),
        found: Attributed {
            portions: Vec::new(),
            unexplained: Tally::default(),
        },
    };
    for (index, site) in model.indexed_sites() {
        work.add_counted(index, site);
    }
    work.add_sampled();
    work.found
}

struct Attribution<'m, 'p> {
    model: &'m CountModel,
    profile: &'p Profile,
    shares: HeapShares,
    owners: Owners,
    /// Sites of work that is done once.
    once: FxHashSet<SiteIndex>,
    askers: CountedAskers<'m>,
    /// Methods and bytecode indices where chains of a builder end in a text.
    chains: FxHashSet<(MethodIndex, u16)>,
    /// Sites whose objects are divided.
    settled: FxHashSet<SiteIndex>,
    seen: SeenAskers,
    found: Attributed<'m>,
}

impl<'m> Attribution<'m, '_> {
    /// Portions that counts tell.
    fn add_counted(&mut self, index: SiteIndex, site: &'m SiteRow) {
        let method = self.model.method(site.method);
        if is_own(method) {
            if !asks_for_caller(site, method) {
                self.settled.insert(index);
                self.add_own(index, site, method);
                return;
            }
        } else if is_hidden(&method.class) {
            return;
        }
        for part in &site.parts {
            if let Some(call) = part.context.map(|call| self.model.call(call)) {
                self.add_called(index, site, part, call);
            }
        }
        let without_caller: Tally = site
            .parts
            .iter()
            .filter(|part| part.context.is_none())
            .map(|part| part.tally)
            .sum();
        let calls = self
            .askers
            .exact((&method.class, &method.name), without_caller.count);
        for call in calls.into_iter().flatten() {
            self.settled.insert(index);
            let tally = share_of(without_caller, call.count);
            self.add_asked((index, site), call, tally, Basis::Exact);
        }
    }

    fn add_own(&mut self, index: SiteIndex, site: &'m SiteRow, method: &MethodRow) {
        if &*method.name == "<clinit>" || self.once.contains(&index) {
            return;
        }
        for part in &site.parts {
            self.found.portions.push(Portion {
                site: self.site((index, site), part.ty.clone()),
                place: place(&method.class, &method.name, site.line),
                path: Vec::new(),
                constructed: None,
                tally: part.tally,
                basis: Basis::Exact,
                heap: self.shares.share(index),
                has_constant_argument: false,
            });
        }
    }

    /// The part of a tracked call of the program's own code.
    fn add_called(&mut self, index: SiteIndex, site: &'m SiteRow, part: &SitePart, call: &CallRow) {
        let caller = self.model.method(call.method);
        if !self.is_settled_by(caller, call) {
            return;
        }
        let (class, name) = call.target.rsplit_once('.').unwrap_or(("", &call.target));
        // A chain of a builder is counted at its end, which makes the text itself: all else is made by what it appends.
        let is_chain = self.chains.contains(&(call.method, call.bci));
        let name = if is_chain { "append" } else { name };
        self.found.portions.push(Portion {
            site: self.site((index, site), part.ty.clone()),
            place: place(&caller.class, &caller.name, call.line),
            path: vec![(Arc::from(class), Arc::from(name))],
            constructed: None,
            tally: part.tally,
            basis: Basis::Exact,
            heap: self.shares.share(index),
            has_constant_argument: false,
        });
    }

    /// Whether the caller is the line that asks: the program's, and no constructor that calls that of a superclass.
    fn is_settled_by(&self, caller: &MethodRow, call: &CallRow) -> bool {
        is_own(caller)
            && !matches!(&*caller.name, "<clinit>")
            && !(&*caller.name == "<init>" && call.target.ends_with(".<init>"))
    }

    /// Portions of sites that stacks tell, and bounds where they do not.
    fn add_sampled(&mut self) {
        let profile = self.profile;
        let open = self.open_calls();
        let (mut without_stack, mut unclear) = (Vec::new(), Unclear::default());
        for (position, row) in profile.rows.iter().enumerate() {
            let Some(stratum) = profile.strata.get(row.stratum) else {
                continue;
            };
            let Some(index) = stratum.sites.first().copied() else {
                continue;
            };
            if self.settled.contains(&index) && stratum.caller.is_none() {
                continue;
            }
            if self.is_called_by_program(row.stratum, &open) {
                continue;
            }
            let asked = self.owners.asked(profile, row.stack);
            if asked.is_none() && !profile.has_stack(row) {
                without_stack.push((index, row.tally));
                continue;
            }
            unclear.add((index, row), asked.is_none());
            if let Some(asked) = asked {
                self.add_seen((position, row), index, asked);
            }
        }
        for (index, tally) in without_stack {
            self.add_bounds(index, tally);
        }
        for (index, most) in unclear.amounts(profile) {
            self.add_possible(index, most);
        }
    }

    /// Bounds for objects that others seem to have asked for.
    fn add_possible(&mut self, index: SiteIndex, most: Tally) {
        let known = self.found.portions.len();
        self.add_bounds(index, most);
        for portion in self.found.portions.iter_mut().skip(known) {
            portion.basis = match portion.basis {
                Basis::Divided(most) => Basis::Divided(most),
                _ => Basis::Divided(portion.tally),
            };
            portion.tally = Tally::default();
            portion.heap = None;
        }
    }

    fn add_seen(&mut self, (position, row): (usize, &ProfileRow), index: SiteIndex, asked: Asked) {
        let site = self.model.site(index);
        self.seen.add(&asked.place, &asked.path, row.tally);
        let portion = Portion {
            site: self.site((index, site), row.ty.clone()),
            place: asked.place,
            path: asked.path,
            constructed: asked.constructed,
            tally: row.tally,
            basis: Basis::Sampled(position),
            heap: self.shares.share(index),
            has_constant_argument: false,
        };
        self.found.portions.push(portion);
    }

    /// Whether the caller of a stratum has settled it.
    fn is_called_by_program(&self, stratum: usize, open: &FxHashSet<CallPlace>) -> bool {
        let caller = self.profile.strata.get(stratum).and_then(|one| one.caller);
        caller.is_some_and(|place| is_own(self.model.method(place.0)) && !open.contains(&place))
    }

    /// Places of tracked calls that are not the lines that ask.
    fn open_calls(&self) -> FxHashSet<CallPlace> {
        let calls = self.model.calls.iter();
        let open = calls.filter(|call| !self.is_settled_by(self.model.method(call.method), call));
        open.map(|call| (call.method, call.line)).collect()
    }

    fn add_bounds(&mut self, index: SiteIndex, tally: Tally) {
        let site = self.model.site(index);
        let method = self.model.method(site.method);
        let calls = self.askers.candidates((&method.class, &method.name));
        let all: i64 = calls.iter().map(|(call, _)| call.count).sum();
        let Some((first, most)) = calls.first().copied() else {
            return self.add_neighbours((index, site), method, tally);
        };
        if most == i64::MAX && calls.iter().all(|(call, _)| call.method == first.method) {
            return self.add_asked((index, site), first, tally, Basis::Bound);
        }
        let asked: i64 = calls
            .iter()
            .fold(0, |sum, (_, most)| sum.saturating_add(*most));
        for (call, most) in calls {
            let part = i128::from(tally.count) * i128::from(call.count) / i128::from(all.max(1));
            let part = share_of(tally, i64::try_from(part).unwrap_or(i64::MAX).min(most));
            let tally = share_of(tally, tally.count.min(most));
            self.add_asked((index, site), call, part, Basis::Divided(tally));
        }
        // More than the calls can have asked for.
        let rest = tally.count.saturating_sub(asked);
        if rest > 0 {
            self.add_neighbours((index, site), method, share_of(tally, rest));
        }
    }

    /// No call explains the objects: those may have asked who were seen in the class.
    fn add_neighbours(
        &mut self,
        (index, site): (SiteIndex, &'m SiteRow),
        method: &MethodRow,
        tally: Tally,
    ) {
        if !is_of_jdk(&method.class) {
            return;
        }
        let seen = self.seen.of(&method.class);
        let all: i64 = seen.iter().map(|asker| asker.tally.count).sum();
        let portion = |asker: &SeenAsker| {
            let part =
                i128::from(tally.count) * i128::from(asker.tally.count) / i128::from(all.max(1));
            let part = share_of(tally, i64::try_from(part).unwrap_or(i64::MAX));
            Portion {
                site: self.site((index, site), site.ty.clone()),
                place: asker.place.clone(),
                path: asker.path.clone(),
                constructed: None,
                tally: if seen.len() == 1 { tally } else { part },
                basis: match seen.len() {
                    1 => Basis::Bound,
                    _ => Basis::Divided(tally),
                },
                heap: self.shares.share(index),
                has_constant_argument: false,
            }
        };
        let portions: Vec<Portion<'m>> = seen.iter().map(portion).collect();
        if portions.is_empty() {
            self.found.unexplained += tally;
        }
        self.found.portions.extend(portions);
    }

    fn add_asked(
        &mut self,
        (index, site): (SiteIndex, &'m SiteRow),
        call: &CountedCallRow,
        tally: Tally,
        basis: Basis,
    ) {
        let method = self.model.method(call.method);
        if &*method.name == "<clinit>" {
            return;
        }
        let target = &call.target;
        self.found.portions.push(Portion {
            site: self.site((index, site), site.ty.clone()),
            place: place(&method.class, &method.name, call.line),
            path: vec![(Arc::from(&*target.class), Arc::from(&*target.name))],
            constructed: None,
            tally,
            basis,
            heap: self.shares.share(index),
            has_constant_argument: call.has_constant_argument,
        });
    }

    fn site(&self, (index, site): (SiteIndex, &'m SiteRow), ty: Option<Arc<str>>) -> Site<'m> {
        let method = self.model.method(site.method);
        Site {
            index,
            kind: site.kind,
            method: (&method.class, &method.name),
            ty: ty.or_else(|| site.ty.clone()),
            size: site.size,
            facts: &site.facts,
        }
    }
}

fn ends_of_chains(model: &CountModel) -> FxHashSet<(MethodIndex, u16)> {
    let sites = model.sites.iter();
    let ends = sites.filter(|site| {
        site.kind == AllocationKind::StringConcat
            && site.ty.as_deref() == Some("Ljava/lang/String;")
    });
    ends.map(|site| (site.method, site.bci)).collect()
}

/// Whether a method has a source that is the program's, or a library's.
fn is_own(method: &MethodRow) -> bool {
    !is_of_jdk(&method.class) && !is_hidden(&method.class)
}

/// Whether the method allocates for its caller only: `values()` of an enum, `iterator()` of a collection.
fn asks_for_caller(site: &SiteRow, method: &MethodRow) -> bool {
    let is_values = site.kind == AllocationKind::Clone
        && &*method.name == "values"
        && *method.descriptor == format!("()[L{};", method.class);
    let is_iterator =
        &*method.name == "iterator" && &*method.descriptor == "()Ljava/util/Iterator;";
    is_values || is_iterator
}

/// The part of a total that `objects` of it have.
fn share_of(total: Tally, objects: i64) -> Tally {
    let bytes = match total.count {
        0 => 0,
        count => i128::from(total.bytes) * i128::from(objects) / i128::from(count),
    };
    Tally {
        count: objects,
        bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
    }
}
