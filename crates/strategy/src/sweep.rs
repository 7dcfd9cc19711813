//! Sweeps: one job at many points of its parameters, on all cores.

use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use thiserror::Error;

use crate::backtest::Random;

/// Points of a grid at most.
pub const POINTS_MAX: usize = 1_000_000;

/// A parameter that is varied: `key=a..b:step`.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub name: String,
    from: f64,
    step: f64,
    steps: usize,
    /// As the text has them, so that 0.1 steps print as such.
    decimals: usize,
}

/// The text is no axis.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{0:?} is no range of a parameter: expected key=from..to:step, with a step above zero")]
pub struct AxisInvalid(String);

/// One value for each axis, as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Point(pub Vec<String>);

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

impl FromStr for Axis {
    type Err = AxisInvalid;

    fn from_str(text: &str) -> Result<Self, AxisInvalid> {
        let read = || {
            let (name, range) = text.split_once('=')?;
            let (from_text, rest) = range.split_once("..")?;
            let (to_text, step_text) = rest.split_once(':').unwrap_or((rest, "1"));
            let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
            let (from, to, step) = (number(from_text)?, number(to_text)?, number(step_text)?);
            let places = |text: &str| text.split_once('.').map_or(0, |(_, digits)| digits.len());
            let decimals = places(from_text).max(places(step_text));
            // A range of a whole number of steps has its last value, in spite of rounding.
            let steps = ((to - from) / step + 1e-9).floor();
            let is_sound =
                !name.is_empty() && step > 0.0 && (0.0..POINTS_MAX as f64).contains(&steps);
            let name = name.to_owned();
            is_sound.then_some(Self { name, from, step, steps: steps as usize, decimals })
        };
        read().ok_or_else(|| AxisInvalid(text.to_owned()))
    }
}

impl Axis {
    pub fn count(&self) -> usize {
        self.steps + 1
    }

    fn value(&self, at: usize) -> String {
        let value = self.from + self.step * at as f64;
        format!("{value:.*}", self.decimals)
    }
}

/// All points of the grid, or `None` beyond [`POINTS_MAX`]. The last axis varies fastest.
pub fn grid(axes: &[Axis]) -> Option<Vec<Point>> {
    let count = axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.count()))?;
    if count > POINTS_MAX {
        return None;
    }
    let point = |mut at: usize| {
        let mut values: Vec<String> = Vec::with_capacity(axes.len());
        for axis in axes.iter().rev() {
            values.push(axis.value(at % axis.count()));
            at /= axis.count();
        }
        values.reverse();
        Point(values)
    };
    Some((0..count).map(point).collect())
}

/// `count` different points of the grid, drawn by a seed; all of them where it has no more.
pub fn random(axes: &[Axis], count: usize, seed: u64) -> Option<Vec<Point>> {
    let mut points = grid(axes)?;
    let mut random = Random::new(seed);
    let count = count.min(points.len());
    for at in 0..count {
        let rest = points.len() - at;
        points.swap(at, at + (random.word() % rest as u64) as usize);
    }
    points.truncate(count);
    Some(points)
}

/// Runs `run` for each point on `threads` threads, and gives each result to `done` as it comes, one
/// at a time. The first error ends the sweep.
pub fn run_all<T: Send, E: Send>(
    points: &[Point],
    threads: usize,
    stop: &AtomicBool,
    run: impl Fn(&Point) -> Result<T, E> + Sync,
    done: impl FnMut(usize, T) -> Result<(), E> + Send,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let sink = Mutex::new((done, None));
    thread::scope(|scope| {
        for _ in 0..threads.clamp(1, points.len().max(1)) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(point) = points.get(at) else { break };
                    let ran = run(point);
                    let mut sink = sink.lock().expect("no thread panics with the lock");
                    let (done, error) = &mut *sink;
                    if let Err(wrong) = ran.and_then(|value| done(at, value)) {
                        failed.store(true, Ordering::Relaxed);
                        error.get_or_insert(wrong);
                    }
                }
            });
        }
    });
    let (_, error) = sink.into_inner().expect("all threads have ended");
    error.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_read_or_refused() {
        let axis: Axis = "half-spread=0.5..2:0.5".parse().expect("an axis");
        assert_eq!((axis.name.as_str(), axis.count()), ("half-spread", 4));
        assert_eq!(axis.value(3), "2.0");
        assert_eq!("lots=1..3".parse::<Axis>().expect("an axis").count(), 3);
        for wrong in ["lots", "lots=1", "lots=2..1:1", "lots=1..2:0", "=1..2", "lots=1..x"] {
            assert!(wrong.parse::<Axis>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_grid_has_all_points_and_a_draw_different_ones() {
        let axes: Vec<Axis> =
            ["a=1..3:1", "b=0..0.5:0.25"].map(|text| text.parse().expect("an axis")).into();
        let points = grid(&axes).expect("nine points");
        assert_eq!(points.len(), 9);
        assert_eq!(points[1], Point(vec!["1".into(), "0.25".into()]));
        let drawn = random(&axes, 5, 7).expect("five points");
        assert_eq!(drawn, random(&axes, 5, 7).expect("the same"));
        assert!(drawn.iter().enumerate().all(|(at, point)| !drawn[..at].contains(point)));
        assert_eq!(random(&axes, 100, 7).expect("all").len(), 9);
        let large: Vec<Axis> =
            ["a=1..2000:1", "b=1..2000:1"].map(|text| text.parse().expect("an axis")).into();
        assert_eq!(grid(&large), None);
    }

    #[test]
    fn all_points_run_once_and_an_error_ends_the_sweep() {
        let points = grid(&["a=0..99:1".parse().expect("an axis")]).expect("points");
        let stop = AtomicBool::new(false);
        let mut sum = 0;
        let value = |point: &Point| point.0[0].parse::<u64>().map_err(|error| error.to_string());
        let add = |_, value| {
            sum += value;
            Ok(())
        };
        run_all(&points, 3, &stop, value, add).expect("no error");
        assert_eq!(sum, 99 * 100 / 2);
        let fails = |point: &Point| if point.0[0] == "50" { Err("fifty") } else { Ok(()) };
        assert_eq!(run_all(&points, 2, &stop, fails, |_, ()| Ok(())), Err("fifty"));
    }
}
