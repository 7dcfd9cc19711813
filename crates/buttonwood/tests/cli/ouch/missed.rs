//! Log-ons for reports that the event spool may not have any more.

use crate::ouch::trader::{House, Trader};

#[test]
fn a_quiet_login_beside_a_busy_one_gets_what_is_kept_and_is_refused_the_rest() {
    let mut house = House::with(&["--spool-max-mib", "32"]);
    let mut alice = house.log_on(0, 1);
    alice.check("", &["day S"]);
    alice.check("enter 1 B 100 @ 40000", &["accepted 1 B 100 BTCUSDT @ 40000"]);
    drop(alice);
    let mut bob = Busy::log_on(&house);
    bob.trade_until_the_beginning_is_gone(&house);
    bob.sell();
    let mut alice = house.log_on(0, 3);
    let mut story = alice.read(1);
    assert_eq!(story, ["executed 1 100 @ 40000 A #1"]);
    for number in 2..=9 {
        alice.send(&format!("enter {number} B 100 @ {}", 30_000 + number));
    }
    story.extend(alice.read(8));

    for again in [House::kill, House::stop] {
        // The mark of the first report is gone, and that of the last one is behind most of these.
        for from in [3, 4, 7, 10] {
            let mut alice = house.log_on(0, from as u64);
            let missed = alice.read(story.len() + 3 - from);
            assert!(missed == story[from - 3..], "from {from}: {missed:?}");
        }
        let mut alice = house.log_on(0, story.len() as u64 + 3);
        let login = house.login(0);
        let user = login["user"].as_str().unwrap();
        for gone in [1, 2] {
            let refused = house.refused(user, &house.password(0), None, gone);
            assert_eq!(refused, "rejected SessionNotAvailable", "from {gone}");
        }
        // Those have not ended the session.
        alice.check("query", &["next 10"]);
        story.push("next 10".to_owned());
        again(&mut house);
    }
}

/// A client whose orders fill the spool.
struct Busy {
    trader: Trader,
    last: u32,
}

impl Busy {
    fn log_on(house: &House) -> Self {
        let mut trader = house.log_on(1, 1);
        trader.read(1);
        Self { trader, last: 0 }
    }

    fn sell(&mut self) {
        self.last += 1;
        self.trader.send(&format!("enter {} S 100 @ 40000", self.last));
        self.trader.read(2);
    }

    fn trade_until_the_beginning_is_gone(&mut self, house: &House) {
        let first = house.data().join("spool").join(format!("{:020}.spool", 1));
        assert!(first.exists());
        while first.exists() {
            for _ in 0..500 {
                self.last += 1;
                self.trader.send(&format!("enter {} B 100 @ 20000", self.last));
                self.trader.send(&format!("cancel {}", self.last));
            }
            self.trader.read(1_000);
        }
    }
}
