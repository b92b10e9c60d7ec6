//! Progress on standard error: a bar on a terminal, a plain line every ten seconds otherwise.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};

use crate::egdb::numbers::{counted, grouped, percent, rate, time};

/// The destination of progress output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// No output.
    Quiet,
    /// Plain lines, for a file or a pipe.
    Lines,
    /// A bar that redraws itself.
    Terminal,
}

/// The style of a bar whose work is known.
const WITH_REST: &str = "{msg}: {bar:30} {percent} % {human_pos} {rate}, {left} left";

/// All bars of the process, one below the other.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Writes a line to standard error. An error of writing is ignored.
pub fn print_line(line: &str) {
    BARS.suspend(|| {
        let _ = writeln!(std::io::stderr(), "{line}");
    });
}

impl Progress {
    /// The destination that suits standard error: a bar on a terminal, lines otherwise.
    pub fn new(quiet: bool) -> Self {
        if quiet {
            Progress::Quiet
        } else if std::io::stderr().is_terminal() {
            Progress::Terminal
        } else {
            Progress::Lines
        }
    }

    /// Writes a line that is no progress, such as a result.
    pub fn say(&self, text: String) {
        if *self != Progress::Quiet {
            print_line(&text);
        }
    }

    /// Begins a task that consists of `work` units (0 if the number is not known), named by a noun
    /// in the singular.
    pub fn start(&self, what: String, work: u64, unit: &'static str) -> Bar {
        let bar = match self {
            Progress::Terminal if work > 0 => {
                BARS.add(ProgressBar::new(work).with_style(style_of(WITH_REST)))
            }
            Progress::Terminal => BARS.add(
                ProgressBar::new_spinner()
                    .with_style(style_of("{spinner} {msg}: {human_pos} {rate}")),
            ),
            _ => ProgressBar::hidden(),
        };
        bar.set_message(what.clone());
        let now = Instant::now();
        let count = Count { what, unit, work, before: 0, done: 0, again: 0 };
        let state = State { count, note: String::new(), printed: now };
        Bar { to: *self, bar, start: now, state: Mutex::new(state) }
    }
}

fn style_of(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = out.write_str(&rate(state.per_sec()));
        })
        .with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = out.write_str(&time(state.eta().as_secs_f64()));
        })
}

struct State {
    count: Count,
    note: String,
    printed: Instant,
}

/// The progress of a task.
struct Count {
    what: String,
    unit: &'static str,
    /// The number of units of the whole task; 0 if it is not known.
    work: u64,
    /// The number of units that earlier runs have done.
    before: u64,
    /// The number of units that this run has done.
    done: u64,
    /// The number of units, of those above, that are to be reported again as done before.
    again: u64,
}

impl Count {
    /// Adds units that were done before, but for those that are counted already. Returns the number
    /// of units added.
    fn resume(&mut self, units: u64) -> u64 {
        let again = units.min(self.again);
        self.again -= again;
        self.before += units - again;
        units - again
    }

    fn rate(&self, duration: Duration) -> f64 {
        self.done as f64 / duration.as_secs_f64()
    }

    /// A line about a task that has been under way for this time.
    fn progress(&self, duration: Duration) -> String {
        let Count { what, unit, work, before, done, .. } = self;
        let all = before + done;
        let per_second = self.rate(duration);
        let mut line = format!("{what}: {}, {}", counted(all, unit), rate(per_second));
        if *work > 0 {
            line += &format!(", {}", percent(all.min(*work), *work));
            if *done > 0 {
                let left = work.saturating_sub(all) as f64 / per_second;
                line += &format!(", {} left", time(left));
            }
        }
        line
    }

    /// A line about a task that has ended after this time.
    fn end(&self, duration: Duration) -> String {
        let Count { what, unit, before, done, .. } = self;
        let earlier =
            if *before > 0 { format!(" ({} before)", grouped(*before)) } else { String::new() };
        let all = counted(before + done, unit);
        let took = time(duration.as_secs_f64());
        format!("{what}: {all}{earlier} in {took}, {}", rate(self.rate(duration)))
    }
}

/// The progress output of a task under way.
pub struct Bar {
    to: Progress,
    bar: ProgressBar,
    start: Instant,
    state: Mutex<State>,
}

impl Bar {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds units that are done.
    pub fn add(&self, units: u64) {
        self.bar.inc(units);
        let mut state = self.state();
        state.count.done += units;
        let due = state.printed.elapsed() > Duration::from_secs(10);
        if self.to == Progress::Lines && due {
            state.printed = Instant::now();
            let mut line = state.count.progress(self.start.elapsed());
            if !state.note.is_empty() {
                line += &format!(" ({})", state.note);
            }
            print_line(&line);
        }
    }

    /// Adds units that an earlier run has done. They do not count towards the speed of this run.
    pub fn resume(&self, units: u64) {
        let added = self.state().count.resume(units);
        if added > 0 {
            self.bar.inc(added);
            self.bar.reset_eta();
        }
    }

    /// Sets the number of units that are still expected, in a task whose work was not known.
    pub fn expect(&self, rest: u64) {
        let mut state = self.state();
        state.count.work = (state.count.before + state.count.done).saturating_add(rest);
        self.bar.set_style(style_of(WITH_REST));
        self.bar.set_length(state.count.work);
    }

    /// Notes that [`Bar::resume`] will report units that are counted already.
    pub fn expect_again(&self, units: u64) {
        self.state().count.again += units;
    }

    /// Sets a note that is shown beside the name of the task, such as the state of a search.
    pub fn note(&self, text: &str) {
        let mut state = self.state();
        self.bar.set_message(format!("{} ({text})", state.count.what));
        state.note = text.into();
    }

    /// Ends the bar, and reports the time that the work took.
    pub fn finish(self) {
        self.bar.finish_and_clear();
        let time = self.start.elapsed();
        if self.to != Progress::Quiet && time > Duration::from_secs(1) {
            print_line(&self.state().count.end(time));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Count;

    #[test]
    fn earlier_work_does_not_raise_the_rate() {
        let time = Duration::from_secs(20);
        let (work, again) = (0, 0);
        let search =
            |before, done| Count { what: "x".into(), unit: "node", work, before, done, again };
        assert_eq!(search(0, 100).progress(time), "x: 100 nodes, 5.0/s");
        assert_eq!(search(900, 100).progress(time), "x: 1,000 nodes, 5.0/s");
        assert_eq!(search(900, 100).end(time), "x: 1,000 nodes (900 before) in 20 s, 5.0/s");
        assert_eq!(search(0, 1).end(time), "x: 1 node in 20 s, 0.1/s");
        let build = |before, done| Count { work: 2000, ..search(before, done) };
        let shown = build(900, 100).progress(time);
        assert_eq!(shown, "x: 1,000 nodes, 5.0/s, 50.0 %, 3 min 20 s left");
        assert_eq!(build(900, 0).progress(time), "x: 900 nodes, 0/s, 45.0 %");

        // A search of 70 nodes goes on twice, the second time with ten more from another run.
        let mut count = search(0, 70);
        count.again = 70;
        assert_eq!([count.resume(50), count.resume(30)], [0, 10]);
        assert_eq!(count.progress(time), "x: 80 nodes, 3.5/s");
    }
}
