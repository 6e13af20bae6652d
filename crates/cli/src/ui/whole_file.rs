//! One file that holds all pages: for the heap those of some collections, evenly spread.

use std::collections::BTreeMap;

use anyhow::Result;
use ducktrack_reports::ui_page;

use super::page_kind::PageKind;
use super::recording::{PageQuery, Recording};

/// Collections whose heap is in the file.
const HEAPS: usize = 12;

pub(crate) fn page(recording: &Recording) -> Result<String> {
    let mut document = recording.document()?;
    let mut held = BTreeMap::new();
    let mut tabs = Vec::new();
    for tab in document.tabs {
        let Some(kind) = PageKind::named(&tab.id) else {
            continue;
        };
        match recording.page(kind, &PageQuery::default()) {
            Ok(page) => {
                held.insert(tab.id.clone(), page.to_string());
                tabs.push(tab);
            }
            Err(error) => eprintln!("ducktrack: without the page `{}`: {error:#}", tab.name),
        }
    }
    if held.contains_key(PageKind::Heap.id()) {
        for (number, page) in recording.heaps(&spread(&recording.collections()))? {
            held.insert(format!("{}?at={number}", PageKind::Heap.id()), page);
        }
    }
    document.tabs = tabs;
    Ok(ui_page(&document, &held)?)
}

/// Some of the numbers, the last among them.
fn spread(numbers: &[u32]) -> Vec<u32> {
    let every = numbers.len().div_ceil(HEAPS).max(1);
    let mut kept: Vec<u32> = numbers.iter().rev().step_by(every).copied().collect();
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_collections_stand_for_all() {
        assert_eq!(spread(&[]), Vec::<u32>::new());
        assert_eq!(spread(&[1, 2, 3]), [1, 2, 3]);
        let many: Vec<u32> = (1..=100).collect();
        let kept = spread(&many);
        assert_eq!((kept.len(), kept.last()), (12, Some(&100)));
    }
}
