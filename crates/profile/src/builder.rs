//! Builds the profile of a model.

use std::collections::BTreeMap;
use std::sync::Arc;

use ducktrack_count_model::{ContextNames, CountModel, SampleSums, SizeClass, Tally, ThreadRow};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::allotment::allot;
use crate::interval::WeightSums;
use crate::late_callers;
use crate::layers::{LayerSums, Layers};
use crate::makers::{Maker, Makers};
use crate::profile::{Frame, FrameIndex, Profile, ProfileRow, StackIndex, StackNode, Stratum};
use crate::sample_match::{Match, Matcher};
use crate::stack_sample::StackSample;
use crate::strata::{Place, SiteStratum, Strata};

/// Distributes the exact totals of a model over its sampled stacks.
pub fn profile(model: &CountModel) -> Profile {
    profile_of(model, &Makers::of(model, |_| Vec::new()))
}

/// The same, with the contexts of each row under the names that they are shown by.
pub fn profile_in_contexts(model: &CountModel, names: &ContextNames) -> Profile {
    let shown = |thread: &ThreadRow| {
        let contexts = model.contexts_of(thread).into_iter();
        contexts.map(|context| names.shown(context)).collect()
    };
    profile_of(model, &Makers::of(model, shown))
}

fn profile_of(model: &CountModel, makers: &Makers) -> Profile {
    let strata = Strata::of(model, makers);
    let (mut samples, unmatched) = matched_samples(model, &strata);
    late_callers::complete(&strata, &mut samples);
    let mut builder = Builder {
        model,
        makers,
        profile: Profile::default(),
        frame_ids: FxHashMap::default(),
        node_ids: FxHashMap::default(),
        nodes_of_frames: FxHashMap::default(),
    };
    for (at, stratum) in strata.all.iter().enumerate() {
        builder.add_stratum(stratum, samples.get(at).map_or(&[][..], Vec::as_slice));
    }
    let mut profile = builder.profile;
    mark_alike(&mut profile.frames);
    profile.samples = model.stacks.rows.iter().map(|row| row.sums.samples).sum();
    profile.unmatched = unmatched;
    profile.skipped = model.stacks.skipped;
    profile.micros = model.stacks.micros;
    profile
}

/// Marks frames of overloads on one line, or without lines.
fn mark_alike(frames: &mut [Frame]) {
    let mut readings: FxHashMap<_, FxHashSet<Arc<str>>> = FxHashMap::default();
    for frame in &*frames {
        if let Frame::Method {
            class,
            method,
            line,
            descriptor,
            ..
        } = frame
        {
            let reading = (Arc::clone(class), Arc::clone(method), *line);
            readings
                .entry(reading)
                .or_default()
                .insert(Arc::clone(descriptor));
        }
    }
    for frame in frames {
        if let Frame::Method {
            class,
            method,
            line,
            reads_alike,
            ..
        } = frame
        {
            let reading = (Arc::clone(class), Arc::clone(method), *line);
            *reads_alike = readings.get(&reading).is_some_and(|found| found.len() > 1);
        }
    }
}

/// The samples of each stratum, and the number of samples that belong to none.
fn matched_samples(model: &CountModel, strata: &Strata) -> (Vec<Vec<StackSample>>, u64) {
    let matcher = Matcher::new(model, strata);
    let mut found: FxHashMap<(usize, usize), Option<Match>> = FxHashMap::default();
    let mut samples: Vec<Vec<StackSample>> = vec![Vec::new(); strata.all.len()];
    let mut unmatched = 0;
    for row in &model.stacks.rows {
        let Some(ty) = model.stacks.types.get(row.ty) else {
            continue;
        };
        let matched = *found
            .entry((row.frame, row.ty))
            .or_insert_with(|| matcher.find(row.frame, ty));
        let place =
            matched.and_then(|matched| Some((samples.get_mut(matched.stratum)?, matched.frame)));
        match place {
            Some((samples, frame)) => samples.push(StackSample {
                frame,
                thread: row.thread.clone(),
                size: row.size,
                sums: row.sums,
            }),
            None => unmatched += row.sums.samples,
        }
    }
    (samples, unmatched)
}

struct Builder<'a> {
    model: &'a CountModel,
    makers: &'a Makers,
    profile: Profile,
    frame_ids: FxHashMap<Frame, FrameIndex>,
    node_ids: FxHashMap<StackNode, StackIndex>,
    nodes_of_frames: FxHashMap<usize, StackIndex>,
}

impl Builder<'_> {
    fn add_stratum(&mut self, site: &SiteStratum, samples: &[StackSample]) {
        let all: Vec<&StackSample> = samples.iter().collect();
        let layers = by_size(&all);
        let sizes: Vec<SizeClass> = layers.keys().copied().collect();
        let stratum = Stratum {
            tally: site.tally,
            samples: samples.iter().map(|sample| sample.sums.samples).sum(),
            sites: site.sites.clone(),
            caller: site.caller,
            layers: divided(&layers, site.tally),
        };
        self.profile.total += site.tally;
        match stratum.samples {
            0 => self.profile.without_stacks += site.tally,
            _ => self.profile.with_stacks += site.tally,
        }
        if stratum.samples > 0 {
            self.profile.unseen[0] += stratum.layers.unseen[0];
            self.profile.unseen[1] += stratum.layers.unseen[1];
        }
        self.profile.strata.push(stratum);
        for (maker, tally) in &site.makers {
            let maker = self.makers.get(*maker);
            let own: Vec<&StackSample> = samples
                .iter()
                .filter(|sample| sample.thread == maker.thread)
                .collect();
            match own.is_empty() {
                false => self.add_rows(site, (&maker, *tally), (&sizes, &own), true),
                // The other threads' samples of the stratum are the best information about this thread.
                true => self.add_rows(site, (&maker, *tally), (&sizes, &all), false),
            }
        }
    }

    fn add_rows(
        &mut self,
        site: &SiteStratum,
        (maker, tally): (&Maker, Tally),
        (sizes, samples): (&[SizeClass], &[&StackSample]),
        own: bool,
    ) {
        if samples.is_empty() {
            let stack = self.site_without_stack(site);
            self.push_row(site, (stack, 0), (maker, tally), &SampleSums::default());
            return;
        }
        let layers = by_size(samples);
        let totals = divided(&layers, tally).totals;
        let objects: Vec<f64> = totals.iter().map(|[objects, _]| *objects).collect();
        let bytes: Vec<f64> = totals.iter().map(|[_, bytes]| *bytes).collect();
        let of_layers = tallies(tally, &objects, &bytes);
        for ((size, samples), tally) in layers.iter().zip(of_layers) {
            let layer = sizes.iter().position(|one| one == size).unwrap_or(0);
            let sums = by_frame(samples);
            let objects: Vec<f64> = sums.iter().map(|(_, sums)| sums.objects).collect();
            let bytes: Vec<f64> = sums.iter().map(|(_, sums)| sums.bytes).collect();
            let parts = tallies(tally, &objects, &bytes);
            for ((frame, sums), tally) in sums.iter().zip(parts) {
                let stack = self.stack(*frame);
                let row_sums = if own { *sums } else { SampleSums::default() };
                self.push_row(site, (stack, layer), (maker, tally), &row_sums);
            }
        }
    }

    fn push_row(
        &mut self,
        site: &SiteStratum,
        (stack, layer): (StackIndex, usize),
        (maker, tally): (&Maker, Tally),
        sums: &SampleSums,
    ) {
        if tally.is_zero() && sums.samples == 0 {
            return;
        }
        let stratum = self.profile.strata.len().saturating_sub(1);
        self.profile.rows.push(ProfileRow {
            stack,
            ty: site.ty.clone(),
            thread: maker.thread.clone(),
            contexts: Arc::clone(&maker.contexts),
            tally,
            samples: sums.samples,
            stratum,
            layer,
            weights: [sums.objects, sums.bytes],
        });
    }

    /// The profile's stack of a sampled frame and its callers.
    fn stack(&mut self, frame: usize) -> StackIndex {
        let mut missing = Vec::new();
        let mut at = Some(frame);
        let mut parent = None;
        while let Some(frame) = at {
            if let Some(known) = self.nodes_of_frames.get(&frame) {
                parent = Some(*known);
                break;
            }
            missing.push(frame);
            at = self
                .model
                .stacks
                .frames
                .get(frame)
                .and_then(|row| row.parent);
        }
        for frame in missing.into_iter().rev() {
            let node = self.node(parent, self.sampled_frame(frame));
            self.nodes_of_frames.insert(frame, node);
            parent = Some(node);
        }
        parent.unwrap_or(StackIndex(0))
    }

    fn sampled_frame(&self, frame: usize) -> Frame {
        let stacks = &self.model.stacks;
        let row = stacks.frames.get(frame);
        match row.and_then(|row| Some((row, stacks.methods.get(row.method)?))) {
            Some((row, method)) if !method.class.is_empty() => Frame::Method {
                class: Arc::clone(&method.class),
                method: Arc::clone(&method.name),
                descriptor: Arc::clone(&method.descriptor),
                line: row.line,
                reads_alike: false,
            },
            _ => Frame::Deeper,
        }
    }

    fn site_without_stack(&mut self, site: &SiteStratum) -> StackIndex {
        let mut at = self.node(None, Frame::NoStack);
        for place in site.caller.into_iter().chain([site.place]) {
            at = self.node(Some(at), self.frame_of(place));
        }
        at
    }

    fn frame_of(&self, (method, line): Place) -> Frame {
        let method = self.model.method(method);
        Frame::Method {
            class: Arc::clone(&method.class),
            method: Arc::clone(&method.name),
            descriptor: Arc::clone(&method.descriptor),
            line,
            reads_alike: false,
        }
    }

    fn node(&mut self, parent: Option<StackIndex>, frame: Frame) -> StackIndex {
        let frames = &mut self.profile.frames;
        let frame = *self.frame_ids.entry(frame).or_insert_with_key(|frame| {
            frames.push(frame.clone());
            FrameIndex(frames.len() - 1)
        });
        let stacks = &mut self.profile.stacks;
        *self
            .node_ids
            .entry(StackNode { parent, frame })
            .or_insert_with_key(|node| {
                stacks.push(*node);
                StackIndex(stacks.len() - 1)
            })
    }
}

/// Sums by frame, in the order of their first appearance.
fn by_frame(samples: &[&StackSample]) -> Vec<(usize, SampleSums)> {
    let mut position: FxHashMap<usize, usize> = FxHashMap::default();
    let mut sums: Vec<(usize, SampleSums)> = Vec::new();
    for sample in samples {
        let at = *position.entry(sample.frame).or_insert_with(|| {
            sums.push((sample.frame, SampleSums::default()));
            sums.len() - 1
        });
        if let Some((_, sum)) = sums.get_mut(at) {
            *sum += sample.sums;
        }
    }
    sums
}

/// Samples by the size class of their objects, the smallest first.
fn by_size<'a>(samples: &[&'a StackSample]) -> BTreeMap<SizeClass, Vec<&'a StackSample>> {
    let mut layers: BTreeMap<SizeClass, Vec<&StackSample>> = BTreeMap::new();
    for sample in samples {
        layers.entry(sample.size).or_default().push(sample);
    }
    layers
}

/// The exact total, divided among these layers.
fn divided(layers: &BTreeMap<SizeClass, Vec<&StackSample>>, tally: Tally) -> Layers {
    let sums = |(size, samples): (&SizeClass, &Vec<&StackSample>)| LayerSums {
        weights: [
            weights(samples, |sums| (sums.objects, sums.objects_squared)),
            weights(samples, |sums| (sums.bytes, sums.bytes_squared)),
        ],
        bounds: size.bounds(),
    };
    let exact = [tally.count as f64, tally.bytes as f64];
    Layers::of(layers.iter().map(sums).collect(), exact)
}

/// Parts of a total in proportion to the numbers of objects and bytes.
fn tallies(tally: Tally, objects: &[f64], bytes: &[f64]) -> Vec<Tally> {
    let parts = allot(tally.count, objects)
        .into_iter()
        .zip(allot(tally.bytes, bytes));
    parts.map(|(count, bytes)| Tally { count, bytes }).collect()
}

fn weights(samples: &[&StackSample], of: impl Fn(&SampleSums) -> (f64, f64)) -> WeightSums {
    let mut weights = WeightSums::default();
    for sample in samples {
        let (sum, squares) = of(&sample.sums);
        weights.sum += sum;
        weights.squares += squares;
    }
    weights
}
