//! Whatever bytes come as a recording, they are refused with an error, or read as events that the
//! columnar file gives back.
//!
//! The first byte chooses the format, and the second whether wrong rows are left out.

#![no_main]

use std::fs;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use recorded::columnar::{Listed, Reader, Writer};
use recorded::{Format, Options, Recording, Stream};

const FORMATS: [Format; 10] = [
    Format::Obwl,
    Format::Lobster,
    Format::Dbn,
    Format::Itch,
    Format::Depth,
    Format::Npz,
    Format::Trades,
    Format::Lean,
    Format::Bars,
    Format::Columnar,
];

fuzz_target!(|bytes: &[u8]| {
    let [choice, lenient, content @ ..] = bytes else { return };
    let folder = std::env::temp_dir().join(format!("recorded-stream-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("recording");
    fs::write(&path, content).expect("a file");
    let options = Options {
        format: FORMATS.get(usize::from(*choice)).copied(),
        lenient: lenient & 1 == 1,
        ..Options::default()
    };
    check(path, folder.join("copy.bwd"), &options);
});

fn check(path: PathBuf, copy: PathBuf, options: &Options) {
    let Ok(mut stream) = Stream::open(&[Recording { path, name: None }], options) else { return };
    let mut writer = Writer::create(&copy).expect("a file");
    let mut events = Vec::new();
    while let Ok(batch) = stream.next_batch() {
        if batch.is_empty() {
            break;
        }
        writer.append(batch).expect("it is written");
        events.extend_from_slice(batch);
    }
    let listed = stream.instruments().iter();
    let listed: Vec<Listed> =
        listed.map(|of| Listed { name: of.name.clone(), tick: of.tick, lot: of.lot }).collect();
    writer.finish(&listed).expect("it is written");
    let mut reader = Reader::open(&copy).expect("what was written");
    let mut again = Vec::new();
    while let Some(block) = reader.next_block().expect("what was written") {
        again.extend(block.events());
    }
    assert_eq!(again, events);
}
