//! Groups of sites that grow along one curve, and the site that drives each group.
//!
//! The *unit* of a group is what comes once with each step of its growth: the sites with the fewest objects more. Of those the application's own come first (the
//! JDK makes what it is asked for), of those again objects of its own classes, and what no constructor makes.

use ducktrack_analyses::{Growth, GrowthRow, GrowthSubject, TraceModel};

use super::document::{GroupDoc, GroupSiteDoc};
use crate::event_trace::amounts::ratio;
use crate::event_trace::callers::caller;
use crate::event_trace::place::PlaceDoc;
use crate::filter::Filter;
use crate::json::CallerDoc;
use crate::view::Caller;

/// Sites with up to this many times the objects of the fewest still are of the unit.
const OF_THE_UNIT: f64 = 1.1;

/// Classes of the JDK begin with one of these.
const JDK: [&str; 5] = ["java.", "javax.", "jdk.", "sun.", "com.sun."];

pub(super) fn groups(
    model: &TraceModel,
    growth: &Growth,
    callers: &[Caller],
    filter: &Filter,
) -> Vec<GroupDoc> {
    let place = |at: &usize| {
        let row = growth.rows.get(*at)?;
        let GrowthSubject::Site(site) = row.subject else {
            return None;
        };
        Some((PlaceDoc::of(&model.count, site?)?, row))
    };
    let wanted = |group: &Vec<usize>| {
        let sites: Vec<(PlaceDoc, &GrowthRow)> = group.iter().filter_map(place).collect();
        let is_wanted = sites.iter().any(|(place, _)| place.is_wanted(filter));
        group_doc(&sites, callers).filter(|_| is_wanted)
    };
    let groups = growth.groups.iter().filter_map(wanted);
    groups.take(filter.top.unwrap_or(usize::MAX)).collect()
}

fn group_doc(sites: &[(PlaceDoc, &GrowthRow)], callers: &[Caller]) -> Option<GroupDoc> {
    let (driver, unit) = driver(sites)?;
    let sum = |value: fn(&GrowthRow) -> f64| ratio(sites.iter().map(|(_, row)| value(row)).sum());
    let blamed = unit.callers.iter().find_map(|row| caller(row, callers));
    let blamed = CallerDoc::of(blamed);
    Some(GroupDoc {
        driver: driver.clone(),
        caller: blamed.known().map(|known| known.to_string()),
        objects_per_second: ratio(unit.judged.count_per_second),
        bytes_per_second: sum(|row| row.judged.bytes_per_second),
        bytes_per_collection: sum(|row| row.judged.slope_bytes),
        sites: sites
            .iter()
            .map(|(place, row)| GroupSiteDoc {
                place: place.clone(),
                objects_each: ratio(row.judged.slope_count / unit.judged.slope_count),
            })
            .collect(),
    })
}

fn driver<'a>(sites: &'a [(PlaceDoc, &'a GrowthRow)]) -> Option<(&'a PlaceDoc, &'a GrowthRow)> {
    let slope = |row: &GrowthRow| row.judged.slope_count;
    let fewest = sites.iter().map(|(_, row)| slope(row)).reduce(f64::min)?;
    let is_of_the_unit = |row: &GrowthRow| slope(row) <= fewest * OF_THE_UNIT;
    let of_the_unit = sites.iter().filter(|(_, row)| is_of_the_unit(row));
    // Of equal ones the first, which has most bytes.
    let driver = of_the_unit.rev().max_by_key(|(place, _)| likelihood(place));
    driver.map(|(place, row)| (place, *row))
}

/// The application makes an object of a class of its own, in the midst of its work; parts of an object are made by its constructor.
fn likelihood(place: &PlaceDoc) -> u32 {
    let is_jdk = |class: &str| JDK.iter().any(|jdk| class.starts_with(jdk));
    let is_own = |class: &str| !class.ends_with("[]") && !is_jdk(class);
    let is_its_work = is_own(&place.location.class);
    let makes_its_own = place.ty.as_deref().is_some_and(is_own);
    let is_whole = !place.location.method.starts_with('<');
    u32::from(is_its_work) * 4 + u32::from(makes_its_own) * 2 + u32::from(is_whole)
}
