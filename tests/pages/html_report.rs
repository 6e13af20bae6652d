//! The HTML report in a real browser: what it shows after sorting, searching and zooming, and pictures of it in light and
//! dark. Skips, saying so, where there is no Chromium (`DUCKTRACK_CHROMIUM` names another one).
//!
//! `DUCKTRACK_PICTURES=DIR` keeps the pages and pictures for a person to look at.

use std::path::PathBuf;

use ducktrack_count_model::{CountModel, CountModelBuilder};
use ducktrack_reports::{Filter, Report, view};
use ducktrack_test_support::large_run;
use ducktrack_tests::browser::{Browser, number, output_of, rows};
use ducktrack_trace_format::Record;

fn page(browser: &Browser, records: Vec<Record>) -> PathBuf {
    let page = view(&model(records), "ducktrack-4711", &Filter::default())
        .html()
        .expect("a page");
    browser.write("report.html", &page)
}

fn model(records: Vec<Record>) -> CountModel {
    let mut builder = CountModelBuilder::new();
    records.into_iter().for_each(|record| builder.fold(record));
    builder.finish()
}

/// The expected rows of the table, from the model and not from the page.
fn expected(
    model: &CountModel,
    wanted: impl Fn(&ducktrack_reports::SiteRow) -> bool,
) -> Vec<(i64, i64)> {
    let view = view(model, "", &Filter::default());
    view.sites
        .iter()
        .filter(|site| wanted(site))
        .map(|site| (site.executed.bytes, site.executed.count))
        .collect()
}

#[test]
fn sorting_and_searching_twenty_thousand_sites() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let records = large_run::records(20_000);
    let model = model(records.clone());
    let page = page(&browser, records);

    let all = expected(&model, |_| true);
    let dom = browser.dom(&page, "");
    let shown = rows(&dom);
    assert!(
        shown.len() > 10 && shown.len() < 200,
        "only the visible rows are in the document: {}",
        shown.len()
    );
    let top: Vec<i64> = shown.iter().map(|row| number(&row[0])).collect();
    assert_eq!(
        top,
        all.iter()
            .take(top.len())
            .map(|site| site.0)
            .collect::<Vec<_>>()
    );
    assert_eq!(
        output_of(&dom, "rows"),
        format!("{} sites", grouped(all.len()))
    );

    let dom = browser.dom(&page, "sort=count&dir=asc");
    let mut counts: Vec<i64> = all.iter().map(|site| site.1).collect();
    counts.sort_unstable();
    let shown: Vec<i64> = rows(&dom).iter().map(|row| number(&row[2])).collect();
    assert_eq!(shown, counts[..shown.len()]);

    let dom = browser.dom(&page, "q=kind%3Alambda%20com.acme.p3");
    let found = expected(&model, |site| {
        site.kind == "lambda" && site.location.class.contains("com.acme.p3")
    });
    assert!(!found.is_empty());
    assert_eq!(
        output_of(&dom, "rows"),
        format!("{} sites", grouped(found.len()))
    );
    for row in rows(&dom) {
        assert!(
            row.iter().any(|cell| cell == "lambda")
                && row.iter().any(|cell| cell.contains("com.acme.p3")),
            "{row:?}"
        );
    }
    let sum: i64 = found.iter().map(|site| site.0).sum();
    let matched = output_of(&dom, "matched");
    assert!(
        matched.ends_with(&format!("{} B", grouped(sum))),
        "{matched} is not {sum}"
    );

    let dom = browser.dom(&page, "group=package");
    let packages: i64 = rows(&dom).iter().map(|row| number(&row[0])).sum();
    assert_eq!(
        packages,
        all.iter().map(|site| site.0).sum::<i64>(),
        "packages sum to the total"
    );
}

#[test]
fn the_flame_graph_zooms_and_marks() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let page = page(&browser, large_run::records(2_000));
    let frames = |dom: &str| dom.matches("role=\"treeitem\"").count();
    let whole = browser.dom(&page, "blame=off");
    assert!(frames(&whole) > 50, "{}", frames(&whole));
    let zoomed = browser.dom(&page, "blame=off&zoom=com.acme.p3");
    assert!(zoomed.contains("aria-label=\"com.acme.p3, "));
    assert!(
        !zoomed.contains("aria-label=\"com.acme.p4, "),
        "the neighbour is out of the picture"
    );
    let marked = browser.dom(&page, "blame=off&q=package%3Acom.acme.p3");
    assert!(
        marked.matches("dim").count() > 20,
        "what was not found is dimmed"
    );
    assert!(marked.contains("of these found"));
}

#[test]
fn hostile_names_do_nothing() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let page = page(&browser, large_run::hostile());
    let dom = browser.dom(&page, "row=0");
    assert!(!dom.contains("<img"), "a name became an element");
    assert!(dom.contains("&lt;img src=x"), "the name is shown as text");
    assert!(!dom.contains("data-owned"), "a name ran as script");
}

#[test]
fn pictures_in_light_and_dark_differ_and_are_not_blank() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let page = page(&browser, large_run::records(20_000));
    let light = browser.picture(&page, "theme=light", false, "light.png");
    let dark = browser.picture(&page, "theme=dark", false, "dark.png");
    let preferred = browser.picture(&page, "", true, "preferred-dark.png");
    browser.picture(
        &page,
        "theme=light&q=com.acme.p3&row=3&sort=count",
        false,
        "search.png",
    );
    for picture in [&light, &dark, &preferred] {
        assert!(
            picture.len() > 60_000,
            "a blank page is smaller: {} bytes",
            picture.len()
        );
    }
    assert_ne!(light, dark);
}

fn grouped(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
