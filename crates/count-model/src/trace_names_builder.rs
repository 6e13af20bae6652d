//! Makes [`TraceNames`] from the definitions of a trace.

use std::collections::HashMap;
use std::sync::Arc;

use ducktrack_trace_format::{
    AllocationKind, ArrayLayout, CalledMethod, CalledSite, ClassNameHash, END_OF_CALLED_SITES,
    FIRST_CALLED_SITE, HeapClass, ObjectLayout, Site, StaticField,
};

use crate::column::{CallerColumn, SiteColumn};
use crate::definitions::Definitions;
use crate::row_plan::RowsById;
use crate::stable_name::{stable_class, stable_descriptor};
use crate::trace_names::{CalledMethodName, KlassEntry, MOST_SITES, SiteEntry, TraceNames};

impl TraceNames {
    /// All but the columns of sites. Types that were known `before` keep their columns.
    pub(crate) fn of(definitions: &Definitions, layout: ObjectLayout, before: &Self) -> Self {
        let mut names = Self {
            types: before.types.clone(),
            ..Self::default()
        };
        for site in definitions.sites.items() {
            names.add_site(site, definitions, layout);
        }
        for site in definitions.measured_sites() {
            if let Some(entry) = names.sites.get_mut(site.0 as usize) {
                entry.is_measured = true;
            }
        }
        for called in definitions.called_sites.items() {
            names.add_called(*called);
        }
        for class in &definitions.heap_classes {
            let ty = names.types.column(&class.ty);
            names.classes.insert(class.id, ty);
            let size = class.size;
            let entries = names.klasses.entry(class.klass).or_default();
            entries.push(KlassEntry { ty, size });
            names.heap_classes.push(HeapClass {
                id: class.id,
                name: class.name.clone(),
                size,
                klass: class.klass,
                fields: Vec::new(),
            });
        }
        for thread in definitions.threads() {
            let name = Arc::from(thread.name.as_str());
            names.threads.insert(thread.id, name);
        }
        names.references = definitions.references;
        for called in &definitions.called_methods {
            names.add_called_method(called, definitions);
        }
        (names.static_fields, names.static_field_names) = numbered(&definitions.static_fields);
        names
    }

    fn add_called_method(&mut self, called: &CalledMethod, definitions: &Definitions) {
        let Some(method) = definitions.methods.get(called.method) else {
            return;
        };
        let class = definitions.classes.get(method.class);
        let file = class.and_then(|class| class.source_file.clone());
        let name = CalledMethodName {
            id: called.method,
            row: None,
            class: class.map_or_else(String::new, |class| stable_class(&class.name).into()),
            name: method.name.clone(),
            file: file.unwrap_or_default(),
        };
        self.called_methods.insert(called.number, name);
    }

    fn add_site(&mut self, site: &Site, definitions: &Definitions, layout: ObjectLayout) {
        let position = site.id.0 as usize;
        if position >= MOST_SITES {
            return;
        }
        if self.sites.len() <= position {
            self.sites.resize(position + 1, SiteEntry::default());
        }
        let ty = site.ty.as_deref();
        let column = ty.map(|ty| self.types.column(&stable_descriptor(ty)));
        let fixed = definitions.size(site.id).unwrap_or(0);
        if let Some(entry) = self.sites.get_mut(position) {
            *entry = SiteEntry {
                column: SiteColumn::NONE,
                ty: column.unwrap_or_default(),
                fixed,
                is_measured: fixed == 0 && !makes_one_size(site),
                class: class_name(site),
            };
        }
        if site.kind == AllocationKind::MultiNewArray
            && let Some(array) = ty.and_then(|ty| array_layout(ty, layout))
        {
            self.layouts.insert(site.id, array);
        }
    }

    fn add_called(&mut self, called: CalledSite) {
        let number = called.id.0.checked_sub(FIRST_CALLED_SITE);
        let Some(number) = number.filter(|_| called.id.0 < END_OF_CALLED_SITES) else {
            return;
        };
        let number = number as usize;
        if self.called.len() <= number {
            self.called.resize(number + 1, None);
        }
        if let Some(entry) = self.called.get_mut(number) {
            *entry = Some((called.site, called.caller));
        }
    }

    /// Tells sites and calls their rows in the model of counts, which has `number` of sites.
    pub(crate) fn set_columns(&mut self, rows: &RowsById, number: usize) {
        let callers = rows.calls.iter();
        self.callers = callers
            .map(|(call, row)| (*call, CallerColumn::of(*row)))
            .collect();
        for (site, row) in &rows.sites {
            if let Some(entry) = self.sites.get_mut(site.0 as usize) {
                entry.column = SiteColumn::of(*row);
            }
        }
        for method in self.called_methods.values_mut() {
            method.row = rows.methods.get(&method.id).copied();
        }
        self.site_columns = number + 1;
    }
}

/// Each static field has one number of its own, however many the code that names it gave it; and what they are called.
fn numbered(fields: &[StaticField]) -> (rustc_hash::FxHashMap<u32, u32>, Vec<String>) {
    let mut known = HashMap::new();
    let mut names = Vec::new();
    let number_of = |field: &StaticField| {
        let name = (
            field.class.clone(),
            field.name.clone(),
            field.descriptor.clone(),
        );
        // Records of a trace are fewer than 2^32.
        let next = known.len() as u32 + 1;
        let number = *known.entry(name).or_insert(next);
        if number == next {
            names.push(format!("{}.{}", field.class.replace('/', "."), field.name));
        }
        (field.number, number)
    };
    (fields.iter().map(number_of).collect(), names)
}

/// All objects of the site have the size of its class, whether that is known or not.
fn makes_one_size(site: &Site) -> bool {
    use AllocationKind::{Boxing, Lambda, MethodReference, New};
    matches!(site.kind, New | Lambda | MethodReference | Boxing)
        && !site.ty.as_deref().is_some_and(|ty| ty.starts_with('['))
}

/// The class named by a site's bytecode, if all objects of the site are of that class.
fn class_name(site: &Site) -> Option<ClassNameHash> {
    use AllocationKind::{Boxing, MultiNewArray, New, NewArray};
    let says_it = matches!(site.kind, New | NewArray | MultiNewArray | Boxing);
    ClassNameHash::of(site.ty.as_deref().filter(|_| says_it)?.as_bytes())
}

/// How the VM lays arrays of a type out.
fn array_layout(ty: &str, layout: ObjectLayout) -> Option<ArrayLayout> {
    let [bytes, shorts, ints, longs, references] = layout.array_base;
    let (base, element) = match ty.strip_prefix('[')?.bytes().next()? {
        b'Z' | b'B' => (bytes, 1),
        b'S' | b'C' => (shorts, 2),
        b'I' | b'F' => (ints, 4),
        b'J' | b'D' => (longs, 8),
        _ => (references, layout.reference),
    };
    Some(ArrayLayout {
        base: u32::from(base),
        element: u32::from(element),
        alignment: u32::from(layout.alignment.max(8)),
    })
}
