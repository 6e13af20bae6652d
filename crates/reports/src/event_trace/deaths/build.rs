//! Model to document.

use std::collections::BTreeMap;

use ducktrack_analyses::{Deaths, LifeTally};

use super::document::{
    CallerDeathsDoc, DeathsReport, DeathsRequest, LivesDoc, PlaceNameDoc, SiteDeathsDoc,
    TypeDeathsDoc,
};
use super::{figures, places};
use crate::class_name::printable;
use crate::event_trace::VERSION;
use crate::filter::{Filter, Sort};
use crate::json::filter_doc;

/// Makes the report.
#[must_use]
pub fn deaths_report(deaths: &Deaths, request: &DeathsRequest) -> DeathsReport {
    let filter = &request.filter;
    let groups = Groups::of(deaths, filter);
    let fact = |key: &str| {
        let value = deaths.names.facts.get(key);
        value.map_or_else(String::new, |value| printable(value))
    };
    DeathsReport {
        format: "ducktrack-deaths".to_owned(),
        version: VERSION,
        source: request.source.clone(),
        command: fact("command"),
        frontend: fact("frontend"),
        runtime: fact("runtime"),
        level: deaths.run.level.into(),
        clock: deaths.clock.into(),
        filter: filter_doc(filter),
        asked: filter.clone(),
        missing: [request.notes.clone(), figures::missing(deaths)].concat(),
        damage: request.damage.clone(),
        contradictions: figures::contradictions(&deaths.run),
        end: figures::end(&deaths.run),
        events: figures::events(&deaths.run),
        collections: deaths.run.collections.len() as u64,
        raised: deaths.run.raised,
        total: figures::lives(&deaths.total),
        selected: figures::lives(&groups.selected),
        on_clocks: figures::on_clocks(deaths),
        survival: deaths
            .survival
            .points
            .iter()
            .map(figures::survival)
            .collect(),
        demographics: deaths
            .demographics
            .points
            .iter()
            .map(figures::demographics)
            .collect(),
        shape: figures::shape(&deaths.run),
        types: groups.types(filter),
        sites: groups.sites(filter),
    }
}

/// The rows of the model by the names that people see: two ids of one name are one row.
#[derive(Default)]
struct Groups {
    selected: LifeTally,
    types: BTreeMap<String, LifeTally>,
    sites: BTreeMap<(PlaceNameDoc, String), Site>,
}

#[derive(Default)]
struct Site {
    lives: LifeTally,
    callers: BTreeMap<PlaceNameDoc, LifeTally>,
}

impl Groups {
    fn of(deaths: &Deaths, filter: &Filter) -> Self {
        let mut groups = Self::default();
        for row in &deaths.rows {
            let place = places::place(&deaths.names, row.site);
            let ty = places::type_name(&deaths.names, row.ty);
            let caller = places::caller(&deaths.names, row.site);
            let caller_class = caller.as_ref().map(|caller| caller.class.as_str());
            let wanted_class = places::wants_place(filter, &place.class, caller_class);
            if !(wanted_class && filter.wants_type(&ty)) {
                continue;
            }
            groups.selected.merge(&row.lives);
            groups
                .types
                .entry(ty.clone())
                .or_default()
                .merge(&row.lives);
            let site = groups.sites.entry((place, ty)).or_default();
            site.lives.merge(&row.lives);
            if let Some(caller) = caller {
                site.callers.entry(caller).or_default().merge(&row.lives);
            }
        }
        groups
    }

    fn types(&self, filter: &Filter) -> Vec<TypeDeathsDoc> {
        let rows = self.types.iter().map(|(ty, lives)| TypeDeathsDoc {
            ty: ty.clone(),
            lives: figures::lives(lives),
        });
        sorted(rows.collect(), filter, |row| &row.lives)
    }

    fn sites(&self, filter: &Filter) -> Vec<SiteDeathsDoc> {
        let rows = self.sites.iter().map(|((place, ty), site)| SiteDeathsDoc {
            place: place.clone(),
            ty: ty.clone(),
            lives: figures::lives(&site.lives),
            context: callers(site, filter),
        });
        sorted(rows.collect(), filter, |row| &row.lives)
    }
}

fn callers(site: &Site, filter: &Filter) -> Vec<CallerDeathsDoc> {
    let rows = site.callers.iter().map(|(place, lives)| CallerDeathsDoc {
        place: place.clone(),
        lives: figures::lives(lives),
    });
    let all = Filter {
        top: None,
        ..filter.clone()
    };
    sorted(rows.collect(), &all, |row| &row.lives)
}

/// The requested number of rows, largest first; equal rows stay in the order of their names, because the sort is stable.
fn sorted<T>(mut rows: Vec<T>, filter: &Filter, lives: impl Fn(&T) -> &LivesDoc) -> Vec<T> {
    rows.sort_by_key(|row| {
        let lives = lives(row);
        std::cmp::Reverse(match filter.sort {
            Sort::Bytes => (lives.bytes, lives.objects),
            Sort::Count => (lives.objects, lives.bytes),
        })
    });
    rows.truncate(filter.top.unwrap_or(usize::MAX));
    rows
}
