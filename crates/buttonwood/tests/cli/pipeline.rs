//! `pipeline`: each message is handled once, and without an allocation.

use crate::process::run_json;

#[test]
fn messages_become_orders_without_an_allocation() {
    for (strategy, orders) in [("market-maker", 0.0002..0.01), ("momentum", 0.7..0.98)] {
        for wire in ["binary", "fix"] {
            let args = ["pipeline", "--strategy", strategy, "--messages", "30000", "--wire", wire];
            let found = run_json(&[&args[..], &["--rate", "500000", "--json"]].concat());
            assert_eq!(found["paced_messages_per_s"], 5e5, "{found}");
            let field = |name: &str| found[name].as_f64().unwrap_or_else(|| panic!("{name}"));
            assert_eq!(field("allocations"), 0.0, "{found}");
            assert!(orders.contains(&field("orders_per_message")), "{found}");
            assert!((0.0..=1.0).contains(&field("fill_rate")), "{found}");
            let quantiles = ["p10", "p25", "p50", "p75", "p90", "p95", "p99", "p99_9", "max"];
            assert!(quantiles.map(|name| field(&format!("{name}_ns"))).is_sorted(), "{found}");
            for name in
                ["messages_per_s", "elapsed_s", "mean_ns", "rss_mb", "page_faults", "orders"]
            {
                assert!(field(name) >= 0.0, "{found}");
            }
            assert!(found["context_switches"].is_u64(), "{found}");
            assert!(found["bare_p99_ns"].as_u64() > Some(0), "{found}");
        }
    }
}
