//! The outcomes of mutants, by class.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::CLASSES;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The mutant is refuted by this rule.
    Refuted(String),
    /// The mutant is declined, for this reason.
    Declined(String),
    /// The verdict is an error, because there is nothing to check.
    Error,
    /// The verdict is conditional, and the mutant is shown to be right but for what is assumed.
    Conditional,
    /// The mutant is verified, and shown to be still a proof; the text is its harmless difference.
    Valid(&'static str),
    /// The outcome must not happen; the text describes it.
    Wrong(String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfClass {
    /// The numbers of refuted mutants, by rule.
    pub refuted: BTreeMap<String, u64>,
    /// The numbers of declined mutants, by reason.
    pub declined: BTreeMap<String, u64>,
    /// The number of errors, each of which was due.
    pub errors: u64,
    /// The number of mutants with a conditional verdict.
    pub conditional: u64,
    /// The numbers of mutants that are still proofs, by their difference from the base.
    pub valid: BTreeMap<String, u64>,
    /// The outcomes that must not happen, by the number of the mutant.
    pub wrong: BTreeMap<u64, String>,
}

impl OfClass {
    fn killed(&self) -> u64 {
        let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
        sum(&self.refuted) + sum(&self.declined) + self.errors + self.conditional
    }

    /// The number of mutants that are still proofs.
    pub fn valid(&self) -> u64 {
        self.valid.values().sum()
    }

    pub fn mutants(&self) -> u64 {
        self.killed() + self.valid() + self.wrong.len() as u64
    }

    /// The share of mutants that were not accepted, of those that are not proofs, in per cent.
    pub fn kill_rate(&self) -> f64 {
        let bad = self.mutants() - self.valid();
        if bad == 0 { 100.0 } else { 100.0 * self.killed() as f64 / bad as f64 }
    }

    fn add(&mut self, other: &OfClass) {
        let pairs = [
            (&mut self.refuted, &other.refuted),
            (&mut self.declined, &other.declined),
            (&mut self.valid, &other.valid),
        ];
        for (mine, others) in pairs {
            others.iter().for_each(|(key, n)| *mine.entry(key.clone()).or_default() += n);
        }
        self.errors += other.errors;
        self.conditional += other.conditional;
        self.wrong.extend(other.wrong.clone());
    }
}

/// The outcomes of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The outcomes of each of [`CLASSES`].
    pub classes: Vec<OfClass>,
    /// The number of mutants that were also given to the program.
    pub sampled: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Tally { classes: vec![OfClass::default(); CLASSES.len()], sampled: 0 }
    }
}

impl Tally {
    pub fn count(&mut self, number: u64, class: usize, outcome: Outcome) {
        let of = &mut self.classes[class];
        match outcome {
            Outcome::Refuted(rule) => *of.refuted.entry(rule).or_default() += 1,
            Outcome::Declined(what) => *of.declined.entry(what).or_default() += 1,
            Outcome::Error => of.errors += 1,
            Outcome::Conditional => of.conditional += 1,
            Outcome::Valid(why) => *of.valid.entry(why.into()).or_default() += 1,
            Outcome::Wrong(what) => drop(of.wrong.insert(number, what)),
        }
    }

    /// Adds the numbers of another tally.
    pub fn add(&mut self, other: &Tally) {
        self.classes.iter_mut().zip(&other.classes).for_each(|(mine, other)| mine.add(other));
        self.sampled += other.sampled;
    }

    /// The outcomes of all classes together.
    pub fn total(&self) -> OfClass {
        let mut total = OfClass::default();
        self.classes.iter().for_each(|class| total.add(class));
        total
    }

    fn rows(&self) -> impl Iterator<Item = (&'static str, OfClass)> {
        let classes = CLASSES.iter().map(|class| class.name).zip(self.classes.clone());
        classes.chain([("all", self.total())])
    }

    /// The outcomes as a table for people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |text: String| writeln!(out, "{text}").expect("text");
        line(format!(
            "{:21} {:>8} {:>8} {:>8} {:>6} {:>8} {:>8} {:>6} {:>7}  by rule, and why still valid",
            "class",
            "mutants",
            "refuted",
            "declined",
            "error",
            "condit.",
            "valid",
            "WRONG",
            "killed"
        ));
        for (name, of) in self.rows() {
            let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
            let mut why: Vec<(&String, &u64)> = of.refuted.iter().collect();
            why.sort_by_key(|(_, n)| u64::MAX - **n);
            let rules: Vec<String> = why.iter().map(|(rule, n)| format!("{rule} {n}")).collect();
            let valid: Vec<String> =
                of.valid.iter().map(|(why, n)| format!("{why}: {n}")).collect();
            let valid =
                if valid.is_empty() { "".into() } else { format!("; {}", valid.join(", ")) };
            line(format!(
                "{name:21} {:8} {:8} {:8} {:6} {:8} {:8} {:6} {:6.2}%  {}{valid}",
                of.mutants(),
                sum(&of.refuted),
                sum(&of.declined),
                of.errors,
                of.conditional,
                of.valid(),
                of.wrong.len(),
                of.kill_rate(),
                rules.join(", "),
            ));
        }
        line(format!("{} mutants were also given to the program", self.sampled));
        for (name, of) in self.rows().filter(|(name, _)| *name != "all") {
            of.wrong.iter().for_each(|(n, what)| line(format!("WRONG {name} {n}: {what}")));
        }
        line(self.summary());
        out
    }

    /// A summary of the campaign in one line.
    pub fn summary(&self) -> String {
        let total = self.total();
        let sum = |counts: &BTreeMap<String, u64>| counts.values().sum::<u64>();
        format!(
            "{} mutants, {} refuted, {} accepted and shown right, {} wrong ({} declined, {} conditional, {} errors)",
            total.mutants(),
            sum(&total.refuted),
            total.valid(),
            total.wrong.len(),
            sum(&total.declined),
            total.conditional,
            total.errors,
        )
    }

    /// A line for each class and outcome.
    pub fn tsv(&self) -> String {
        let mut out = String::from("class\toutcome\twhy\tmutants\n");
        for (name, of) in self.rows() {
            let mut line = |outcome: &str, why: &str, n: u64| {
                writeln!(out, "{name}\t{outcome}\t{why}\t{n}").expect("text");
            };
            of.refuted.iter().for_each(|(why, n)| line("refuted", why, *n));
            of.declined.iter().for_each(|(why, n)| line("declined", why, *n));
            line("error", "", of.errors);
            line("conditional", "", of.conditional);
            of.valid.iter().for_each(|(why, n)| line("valid", why, *n));
            line("wrong", "", of.wrong.len() as u64);
        }
        out
    }
}
