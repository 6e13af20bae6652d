//! The pages about an event trace in a real browser: what they show, and pictures of them in light and dark.
//! Skips, saying so, where there is no Chromium (`DUCKTRACK_CHROMIUM` names another one).
//!
//! `DUCKTRACK_PICTURES=DIR` keeps the pages and pictures for a person to look at.

use std::path::PathBuf;

use ducktrack_count_model::CountModelBuilder;
use ducktrack_findings::{Evidence, Findings};
use ducktrack_reports::{
    CostRequest, Filter, LeakRequest, Report, cost_report, heap_report, info_report, leaks_report,
    lifetimes_report, timeline_report,
};
use ducktrack_test_support::large_run;
use ducktrack_test_support::sample_heap::{self, SampleTrace};
use ducktrack_tests::browser::{Browser, number, output_of, rows};

const TRACE: &str = "ducktrack-4711";

fn model(sites: u32, collections: u32) -> SampleTrace {
    let mut builder = CountModelBuilder::new();
    for record in large_run::records(sites) {
        builder.fold(record);
    }
    sample_heap::sample_trace(builder.finish(), collections)
}

fn pages(sample: &SampleTrace) -> Vec<(&'static str, String)> {
    let SampleTrace {
        model,
        heaps,
        lifetimes,
        timeline,
        survivors,
        costs,
    } = sample;
    let all = Filter::default();
    let request = LeakRequest {
        trace: TRACE.to_owned(),
        ..LeakRequest::default()
    };
    let heap = heaps[0].as_ref().expect("the end");
    let answers = (survivors.clone(), None);
    let findings = Findings::of(Evidence::of_trace(model, &answers)).expect("no dump is read");
    let reports: [(&str, Box<dyn Report>); 6] = [
        (
            "cost",
            Box::new(cost_report(
                model,
                costs,
                TRACE,
                &all,
                &CostRequest::default(),
            )),
        ),
        ("info", Box::new(info_report(model, TRACE))),
        ("heap", Box::new(heap_report(model, heap, TRACE, &all))),
        (
            "lifetimes",
            Box::new(lifetimes_report(model, lifetimes, TRACE, &all)),
        ),
        (
            "timeline",
            Box::new(timeline_report(model, timeline, TRACE, &all)),
        ),
        (
            "leaks",
            Box::new(leaks_report(&findings, &request).expect("no dump is read")),
        ),
    ];
    reports
        .into_iter()
        .map(|(name, report)| (name, report.html().expect("a page")))
        .collect()
}

/// A page by name, written for the browser.
fn open(browser: &Browser, model: &SampleTrace, wanted: &str) -> PathBuf {
    let mut pages = pages(model).into_iter();
    let (name, page) = pages
        .find(|(name, _)| *name == wanted)
        .expect("one of them");
    browser.write(&format!("{name}.html"), &page)
}

#[test]
fn the_heap_page_groups_searches_and_details() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let model = model(600, 40);
    let heap = model.heaps[0].as_ref().expect("the end");
    let page = open(&browser, &model, "heap");
    let dom = browser.dom(&page, "");
    let sizes: Vec<i64> = rows(&dom).iter().map(|row| number(&row[0])).collect();
    let expected = heap.sites.iter().map(|site| site.live.bytes.cast_signed());
    assert_eq!(sizes, expected.take(sizes.len()).collect::<Vec<_>>());
    assert_eq!(
        output_of(&dom, "rows"),
        format!("{} sites", heap.sites.len())
    );
    assert!(
        dom.matches("map-cell").count() > 100,
        "the treemap has its cells"
    );

    let dom = browser.dom(&page, "group=type&sort=count");
    let counts: Vec<i64> = rows(&dom).iter().map(|row| number(&row[2])).collect();
    let mut expected: Vec<i64> = heap
        .types
        .iter()
        .map(|ty| ty.live.count.cast_signed())
        .collect();
    expected.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
    assert_eq!(counts, expected);

    let dom = browser.dom(&page, "q=org.example&group=package");
    assert!(
        rows(&dom)
            .iter()
            .all(|row| row.iter().any(|cell| cell.contains("org.example")))
    );
    assert!(
        output_of(&dom, "matched").starts_with("found "),
        "{}",
        output_of(&dom, "matched")
    );

    let dom = browser.dom(&page, "row=s0");
    assert!(dom.contains("of the heap shown") && dom.contains("aria-selected=\"true\""));
}

#[test]
fn the_timeline_page_draws_every_collection_and_zooms() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let model = model(600, 40);
    let page = open(&browser, &model, "timeline");
    let bars = |dom: &str| dom.matches("<title>collection ").count();
    let areas = |dom: &str| dom.matches("class=\"area\"").count();
    let dom = browser.dom(&page, "");
    assert_eq!(bars(&dom), 40, "a bar for every pause");
    assert_eq!(output_of(&dom, "rows"), "40 collections");
    let report = timeline_report(&model.model, &model.timeline, "", &Filter::default());
    assert_eq!(areas(&dom), report.types.len(), "a layer for every type");
    let dom = browser.dom(&page, "by=space");
    assert_eq!(areas(&dom), 3, "eden, survivor, old");
    // One collection every 50 ms: ten begin between 0.225 and 0.725 s.
    let dom = browser.dom(&page, "from=225000&to=725000");
    assert_eq!(bars(&dom), 10);
    let dom = browser.dom(&page, "q=full");
    assert_eq!(output_of(&dom, "rows"), "4 collections");
}

#[test]
fn the_page_of_lifetimes_keeps_what_is_chosen() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let model = model(600, 40);
    let page = open(&browser, &model, "lifetimes");
    let dom = browser.dom(&page, "");
    let lifetimes = &model.lifetimes;
    assert_eq!(
        output_of(&dom, "rows"),
        format!("{} sites", lifetimes.sites.len())
    );
    assert!(dom.contains("died before the first collection: "));
    let dom = browser.dom(&page, "young=off&row=s0");
    assert!(!rows(&dom).iter().any(|row| {
        row.iter()
            .any(|cell| cell.contains("died before the first"))
    }));
    assert!(dom.contains("Died after"), "the detail of the first row");
}

#[test]
fn the_page_of_leaks_draws_its_curve_and_its_cohorts() {
    let Some(browser) = Browser::find() else {
        return;
    };
    // Of 60 sites one leaks a fifth of what lives.
    let model = model(60, 40);
    let page = open(&browser, &model, "leaks");
    let dom = browser.dom(&page, "");
    assert!(dom.contains("data-ready=\"true\""), "{dom}");
    assert!(dom.contains("class=\"fitted\""), "the line that was fitted");
    assert_eq!(dom.matches("class=\"cohort\"").count(), 16);
    // All of what was made in each piece stays.
    assert_eq!(dom.matches("<i style=\"height: 100%;\">").count(), 16);
    let (_, sentence) = dom.split_once("<p class=\"sentence\"").expect("a sentence");
    let sentence = sentence.get(..600).unwrap_or_default();
    assert!(
        sentence.starts_with(" data-verdict=\"leaks\">"),
        "{sentence}"
    );
}

#[test]
fn the_page_of_costs_shows_bars_and_whiskers() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let model = model(600, 40);
    let page = open(&browser, &model, "cost");
    let dom = browser.dom(&page, "");
    let costs = &model.costs;
    let sites = format!("{} sites", costs.sites.len());
    assert_eq!(output_of(&dom, "rows"), sites);
    assert_eq!(dom.matches("class=\"whisker\"").count(), 12);
    assert!(dom.contains("20 young and mixed") && dom.contains("1 asked for"));
    let dom = browser.dom(&page, "rows=types&row=t0");
    assert_eq!(output_of(&dom, "rows"), "1 type");
    assert!(dom.contains("a run without it saves"), "the detail");
}

#[test]
fn hostile_names_do_nothing() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let mut builder = CountModelBuilder::new();
    for record in large_run::hostile() {
        builder.fold(record);
    }
    let mut count = builder.finish();
    // The same site at every position: each of them lives another way.
    let site = count.sites[0].clone();
    count.sites = vec![site; 4];
    for (name, page) in pages(&sample_heap::sample_trace(count, 9)) {
        let path = browser.write(&format!("{name}.html"), &page);
        let dom = browser.dom(&path, "row=s0");
        assert!(!dom.contains("<img"), "{name}: a name became an element");
        assert!(!dom.contains("data-owned"), "{name}: a name ran as script");
        if name != "info" {
            assert!(
                dom.contains("&lt;img src=x"),
                "{name}: the name is shown as text"
            );
        }
    }
}

#[test]
fn pictures_in_light_and_dark_differ_and_are_not_blank() {
    let Some(browser) = Browser::find() else {
        return;
    };
    for (name, page) in pages(&model(600, 200)) {
        let path = browser.write(&format!("{name}.html"), &page);
        let light = browser.picture(&path, "theme=light", false, &format!("{name}-light.png"));
        let dark = browser.picture(&path, "theme=dark", false, &format!("{name}-dark.png"));
        for picture in [&light, &dark] {
            assert!(
                picture.len() > 30_000,
                "{name}: a blank page is smaller: {} bytes",
                picture.len()
            );
        }
        assert_ne!(light, dark, "{name}");
    }
}
