//! Histograms of array lengths, for the largest sites that recorded them.

use ducktrack_count_model::LengthBucket;

use crate::quantity::{grouped, objects, share};
use crate::text::section;
use crate::view::{SiteRow, View};

const SITES: usize = 10;
const BAR: i64 = 30;

pub(super) fn write(out: &mut String, view: &View) {
    let recorded: Vec<&SiteRow> = view
        .sites
        .iter()
        .filter(|site| !site.lengths.is_empty())
        .collect();
    if recorded.is_empty() {
        return;
    }
    let shown = recorded.len().min(SITES);
    section(
        out,
        &format!(
            "ARRAY LENGTHS, in elements ({shown} of {} sites)",
            recorded.len()
        ),
    );
    for site in recorded.iter().take(SITES) {
        let ty = site.ty.as_deref().unwrap_or("array");
        out.push_str(&format!(
            "  {}  {ty} ({} @{})\n",
            site.location, site.kind, site.location.bci
        ));
        write_histogram(out, &site.lengths);
    }
}

fn write_histogram(out: &mut String, buckets: &[LengthBucket]) {
    let all: i64 = buckets.iter().map(|bucket| bucket.count).sum();
    let most = buckets
        .iter()
        .map(|bucket| bucket.count)
        .max()
        .unwrap_or(0)
        .max(1);
    for bucket in buckets {
        let width = usize::try_from(bucket.count.saturating_mul(BAR) / most).unwrap_or(0);
        let bar = "#".repeat(width.max(usize::from(bucket.count > 0)));
        out.push_str(&format!(
            "    {:>27}  {:>16}  {:>7}  {bar}\n",
            range(*bucket),
            objects(bucket.count),
            share(bucket.count, all)
        ));
    }
}

fn range(bucket: LengthBucket) -> String {
    match bucket.range() {
        (low, high) if low == high => grouped(low),
        (low, high) => format!("{} - {}", grouped(low), grouped(high)),
    }
}
