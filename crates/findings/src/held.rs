//! Who holds the objects of a finding, by a heap dump.

use ducktrack_analyses::{SurvivorRow, TraceModel};
use ducktrack_holders::{DumpError, HolderPath, HolderStep, Holdings, Origin};
use rustc_hash::FxHashSet;

use crate::finding::{AddedBy, Finding, HeldBy, Holder, HolderMade, Outside};
use crate::judged_row::JudgedRow;
use crate::places::Place;
use crate::softly_held::{Part, SoftlyHeld, is_of_row};

/// Looks for holders in one dump.
#[derive(Clone, Copy)]
pub(crate) struct Holders<'a> {
    pub(crate) model: &'a TraceModel,
    pub(crate) holdings: &'a Holdings,
    pub(crate) soft: &'a SoftlyHeld<'a>,
    pub(crate) rows: &'a [JudgedRow<'a>],
}

impl Holders<'_> {
    /// Adds the path that holds most of a finding's objects.
    pub(crate) fn with_holder(&self, finding: Finding) -> Result<Finding, DumpError> {
        let mut outside = Outside::NotThere;
        let there = self.in_dump(&finding);
        let rows = finding.rows.iter().filter_map(|row| self.rows.get(*row));
        // What was dropped is not in a later dump, and a path to a few others of its lines is no path to it.
        let is_gone =
            finding.judged.released && there.saturating_mul(2) < finding.judged.live.objects;
        for row in rows.take(if is_gone { 0 } else { usize::MAX }) {
            match self.path_to((row.row, row.part))? {
                Some(path) if self.is_dead(&path) => outside = Outside::Dead,
                Some(path) => return Ok(self.held(finding, path)),
                None => {}
            }
        }
        Ok(Finding {
            holder: Holder::Outside(outside),
            ..finding
        })
    }

    /// Objects of the driver in the dump.
    fn in_dump(&self, finding: &Finding) -> u64 {
        let driver = finding.rows.first().and_then(|row| self.rows.get(*row));
        let Some(driver) = driver.filter(|_| self.holdings.dump.without_sites.is_none()) else {
            return u64::MAX;
        };
        let is_its = self.is_its((driver.row, driver.part));
        (0..self.holdings.dump.graph.objects())
            .filter(|object| is_its(*object))
            .count() as u64
    }

    /// Whether an object of the dump is one of the row's.
    fn is_its(&self, (row, part): (&SurvivorRow, Part)) -> impl Fn(u32) -> bool {
        let mut wanted = vec![false; self.holdings.dump.makers.len()];
        for maker in makers(self.holdings, row) {
            if let Some(flag) = wanted.get_mut(maker as usize) {
                *flag = true;
            }
        }
        move |object| {
            let maker = self.holdings.dump.maker_number(object);
            maker.is_some_and(|maker| wanted.get(maker as usize) == Some(&true))
                && self.soft.is_of(part, object)
        }
    }

    fn is_dead(&self, path: &HolderPath) -> bool {
        let dump = &self.holdings.dump;
        let step = path.steps.first();
        step.is_some_and(|step| dump.is_dead(self.holdings.tier(step.example)))
    }

    /// By the objects' sites; in a dump without sites, by their type.
    pub(crate) fn path_to(
        &self,
        (row, part): (&SurvivorRow, Part),
    ) -> Result<Option<HolderPath>, DumpError> {
        let holdings = self.holdings;
        let paths = match holdings.dump.without_sites {
            Some(_) => {
                let Some(wanted) = row.ty.as_deref() else {
                    return Ok(None);
                };
                let name = |object| holdings.types.name(holdings.type_of(object));
                holdings.holders(|object| name(object) == wanted, 1)?
            }
            None => holdings.holders(self.is_its((row, part)), 1)?,
        };
        Ok(paths.into_iter().next())
    }

    fn held(&self, finding: Finding, path: HolderPath) -> Finding {
        Finding {
            added_by: self.added_by(&finding, &path),
            holder_made: self.holder_made(&finding, &path),
            holder: Holder::Path(Box::new(self.held_by(path))),
            ..finding
        }
    }

    fn held_by(&self, path: HolderPath) -> HeldBy {
        let (field, is_thread_local) = self.holdings.structure_field(&path);
        HeldBy {
            within: self.holdings.structure_path(&path),
            field,
            is_thread_local,
            path,
        }
    }

    /// The path that holds most objects of a row. `None`: the dump has none, or they are dead in it.
    pub(crate) fn of_row(&self, row: &SurvivorRow) -> Result<Option<HeldBy>, DumpError> {
        let path = self.path_to((row, Part::All))?;
        let path = path.filter(|path| !self.is_dead(path));
        Ok(path.map(|path| self.held_by(path)))
    }

    fn is_own(&self, place: &Place) -> bool {
        place.is_own(&self.model.count)
    }

    /// Code of the JDK made the object for a caller that is not known: who made the nearest holder that was made for it alone.
    fn holder_made(&self, finding: &Finding, path: &HolderPath) -> Option<HolderMade> {
        let is_made_by_jdk = finding.made().is_some_and(|made| !self.is_own(&made));
        if finding.maker.call.is_some() || !is_made_by_jdk {
            return None;
        }
        let piles_up = path.structure.as_ref()?.piles_up;
        let last = path.steps.len().checked_sub(1)?;
        let holders = path.steps.get(piles_up..last)?;
        holders.iter().rev().find_map(|step| {
            let place = places(step.origin).find(|place| self.is_own(place))?;
            Some(HolderMade {
                place,
                ty: step.ty,
                class: step.class.clone(),
            })
        })
    }

    /// The call that made the structure's nodes (or its array). Else a line near it: what the nodes were
    /// made for, the first below them that code of the program's own makes; else that of what leaks.
    fn added_by(&self, finding: &Finding, path: &HolderPath) -> Option<AddedBy> {
        let structure = path.structure.as_ref();
        let added = structure
            .map(|structure| structure.added)
            .unwrap_or_default();
        let piles_up = structure.map_or(0, |structure| structure.piles_up);
        let below = path.steps.get(piles_up..).unwrap_or_default();
        let below = if structure.is_some() { below } else { &[] };
        // A node of a collection is made by what adds to it; an object of the program's own may be made long before.
        let node = below.first().filter(|step| !step.is_own);
        let node = node.map_or(Origin::default(), |step| step.origin);
        let is_own = |place: &Place| self.is_own(place);
        let adding = places(added).chain(places(node)).find(is_own);
        let of_steps = below
            .iter()
            .flat_map(|step: &HolderStep| places(step.origin));
        let of_leak = [finding.caller(), finding.made()].into_iter().flatten();
        let made = || of_steps.chain(of_leak).find(is_own);
        let exact = |place| AddedBy {
            place,
            is_near: false,
        };
        let near = |place| AddedBy {
            place,
            is_near: true,
        };
        adding
            .map(exact)
            .or_else(|| made().map(near))
            .or_else(|| added.site.map(Place::Site).map(exact))
    }
}

/// Of what has a site: for whom it was made, and where.
fn places(origin: Origin) -> impl Iterator<Item = Place> {
    let call = origin.call.filter(|_| origin.site.is_some());
    let site = origin.site.map(Place::Site);
    call.map(Place::Call).into_iter().chain(site)
}

/// The makers in the dump that are those of a row.
pub(crate) fn makers(holdings: &Holdings, row: &SurvivorRow) -> FxHashSet<u32> {
    let makers = (0_u32..).zip(&holdings.dump.makers);
    let its = makers.filter(|(_, maker)| is_of_row(maker, row));
    its.map(|(number, _)| number).collect()
}
