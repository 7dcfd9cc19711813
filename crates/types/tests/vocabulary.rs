//! Computations of the vocabulary: listing, money, parsing, remaining quantities.

use types::*;

fn asset(name: &str, decimals: u8) -> Asset {
    Asset { name: AssetName::parse(name).expect("a name"), decimals }
}

fn increment(text: &str) -> Increment {
    Increment::parse(text).expect("a size")
}

fn price(ticks: i64) -> Price {
    Price::from_ticks(ticks)
}

fn qty(lots: u64) -> Qty {
    Qty::from_lots(lots)
}

fn amount(minor: i128) -> Amount {
    Amount::from_minor(minor)
}

/// BTCUSDT in cents and hundred-thousandths.
fn spec() -> InstrumentSpec {
    InstrumentSpec {
        symbol: Symbol::parse("BTCUSDT").expect("a symbol"),
        base: AssetId(0),
        quote: AssetId(1),
        tick_size: increment("0.01"),
        lot_size: increment("0.00001"),
        min_price: price(1),
        max_price: price(100_000_000),
        min_qty: qty(1),
        max_qty: qty(900_000_000),
        market_max_qty: qty(10_000_000),
        min_notional: amount(500_000_000),
        max_notional: amount(900_000_000_000_000),
        max_open_orders: 200,
        fees: FeeRates { maker_fee_bps_x100: 1_000, taker_fee_bps_x100: 1_000 },
    }
}

fn list(spec: InstrumentSpec) -> Result<Instrument, ListingError> {
    Instrument::new(InstrumentId(7), spec, &asset("BTC", 8), &asset("USDT", 8))
}

fn btcusdt() -> Instrument {
    list(spec()).expect("a good spec")
}

#[test]
fn a_listed_instrument_has_the_sizes_of_a_tick_and_a_lot() {
    let expect =
        Instrument { id: InstrumentId(7), spec: spec(), tick_lot_minor: 10, lot_minor: 1_000 };
    assert_eq!(list(spec()), Ok(expect));
}

/// Changes a valid spec and compares the reason of its refusal.
#[track_caller]
fn check_listing(change: impl FnOnce(&mut InstrumentSpec), expect: Option<ListingError>) {
    let mut spec = spec();
    change(&mut spec);
    assert_eq!(list(spec).err(), expect);
}

#[test]
fn bounds_are_in_order_and_within_the_venues_own() {
    let check = |change: fn(&mut InstrumentSpec)| {
        check_listing(change, Some(ListingError::BoundsInvalid));
    };
    check(|s| s.tick_size.units = 0);
    check(|s| s.lot_size.units = 0);
    check(|s| s.tick_size.decimals = Asset::DECIMALS_MAX + 1);
    check(|s| s.lot_size.decimals = Asset::DECIMALS_MAX + 1);
    check(|s| s.tick_size.decimals = u8::MAX);
    check(|s| s.min_price = price(-PRICE_MAX.ticks() - 1));
    check(|s| s.max_price = price(0));
    check(|s| (s.min_price, s.max_price) = (price(-1), price(-2)));
    check(|s| s.max_price = price(PRICE_MAX.ticks() + 1));
    check(|s| s.min_qty = qty(0));
    check(|s| s.max_qty = qty(0));
    check(|s| s.max_qty = QTY_MAX + qty(1));
    check(|s| s.market_max_qty = qty(0));
    check(|s| s.market_max_qty = QTY_MAX + qty(1));
    check(|s| s.min_notional = amount(-1));
    check(|s| s.max_notional = s.min_notional - amount(1));

    check_listing(|s| s.min_price = s.max_price, None);
    check_listing(|s| s.min_price = price(0), None);
    check_listing(|s| s.min_price = price(-100), None);
    check_listing(|s| (s.min_price, s.max_price) = (price(-2), price(-1)), None);
    check_listing(|s| s.min_qty = s.market_max_qty, None);
    check_listing(|s| s.max_notional = s.min_notional, None);
}

#[test]
fn base_and_quote_differ() {
    check_listing(|s| s.quote = s.base, Some(ListingError::BaseIsQuote));
}

#[test]
fn a_fee_is_at_most_all_of_it() {
    let check = |maker_fee_bps_x100, taker_fee_bps_x100, expect| {
        let fees = FeeRates { maker_fee_bps_x100, taker_fee_bps_x100 };
        check_listing(|s| s.fees = fees, expect);
    };
    check(0, 0, None);
    check(FeeRates::MAX_BPS_X100, FeeRates::MAX_BPS_X100, None);
    check(FeeRates::MAX_BPS_X100 + 1, 0, Some(ListingError::FeeTooHigh));
    check(0, FeeRates::MAX_BPS_X100 + 1, Some(ListingError::FeeTooHigh));
}

#[test]
fn ticks_and_lots_are_whole_in_smallest_units() {
    let check = |tick_size, lot_size, base_decimals, quote_decimals, expect| {
        let mut spec = spec();
        (spec.tick_size, spec.lot_size) = (increment(tick_size), increment(lot_size));
        let (base, quote) = (asset("BTC", base_decimals), asset("USDT", quote_decimals));
        let found = Instrument::new(InstrumentId(0), spec, &base, &quote)
            .map(|instrument| (instrument.tick_lot_minor, instrument.lot_minor));
        assert_eq!(found, expect, "{tick_size} {lot_size} {base_decimals} {quote_decimals}");
    };
    check("0.01", "0.00001", 8, 8, Ok((10, 1_000)));
    check("0.01", "0.00001", 5, 7, Ok((1, 1)));
    check("0.01", "0.00001", 5, 6, Err(ListingError::TickTimesLotNotWhole));
    check("0.01", "0.00001", 4, 7, Err(ListingError::LotNotWhole));
    check("0.25", "4", 0, 0, Ok((1, 4)));
    check("0.25", "2", 0, 0, Err(ListingError::TickTimesLotNotWhole));
    check("1", "1", 0, 255, Err(ListingError::TickTimesLotNotWhole));
    check("1", "1", 255, 0, Err(ListingError::LotNotWhole));
}

#[test]
fn the_largest_order_is_an_amount() {
    let largest = |s: &mut InstrumentSpec| {
        (s.max_price, s.max_qty, s.market_max_qty) = (PRICE_MAX, QTY_MAX, QTY_MAX);
    };
    // 2^53 ticks of 2^53 lots: 14 bits are left below AMOUNT_MAX.
    let check = |tick_units, lot_units, expect| {
        check_listing(
            |s| {
                largest(s);
                s.tick_size = Increment { units: tick_units, decimals: 8 };
                s.lot_size = Increment { units: lot_units, decimals: 0 };
            },
            expect,
        );
    };
    let too_large = Some(ListingError::AmountsTooLarge);
    check(1 << 14, 1, None);
    check((1 << 14) + 1, 1, too_large);
    check(1, 1 << 14, None);
    check(1, (1 << 14) + 1, too_large);
    check(1 << 63, 1, too_large);
    check(u64::MAX, u64::MAX, too_large);
    // The bound of market orders counts too, if it is larger.
    check_listing(
        |s| {
            s.max_price = PRICE_MAX;
            s.tick_size = Increment { units: 1 << 15, decimals: 3 };
            s.market_max_qty = QTY_MAX;
        },
        too_large,
    );
    // The base asset too: a lot of 512 * 10^18 smallest units is above 63 bits.
    let mut spec = spec();
    largest(&mut spec);
    (spec.tick_size, spec.lot_size) = (increment("0.000000000000000001"), increment("512"));
    let found =
        Instrument::new(InstrumentId(0), spec, &asset("BIG", 18), &asset("SMALL", 18)).err();
    assert_eq!(found, too_large);
}

#[test]
fn the_first_refusal_in_order_is_reported() {
    use ListingError::*;
    let mut spec = spec();
    let mut quote = asset("USDT", 8);
    spec.min_qty = qty(0);
    spec.quote = spec.base;
    spec.fees.maker_fee_bps_x100 = u32::MAX;
    quote.decimals = 0;
    spec.lot_size = increment("0.000000001");
    let list = |spec, quote| {
        Instrument::new(InstrumentId(0), spec, &asset("BTC", 8), &quote).expect_err("not listed")
    };
    assert_eq!(list(spec, quote), BoundsInvalid);
    spec.min_qty = qty(1);
    assert_eq!(list(spec, quote), BaseIsQuote);
    spec.quote = AssetId(1);
    assert_eq!(list(spec, quote), FeeTooHigh);
    spec.fees = FeeRates::ZERO;
    assert_eq!(list(spec, quote), TickTimesLotNotWhole);
    quote.decimals = 18;
    assert_eq!(list(spec, quote), LotNotWhole);
    spec.lot_size = increment("1000000000");
    (spec.max_price, spec.max_qty) = (PRICE_MAX, QTY_MAX);
    assert_eq!(list(spec, quote), AmountsTooLarge);

    let in_order = [
        BoundsInvalid,
        BaseIsQuote,
        FeeTooHigh,
        TickTimesLotNotWhole,
        LotNotWhole,
        AmountsTooLarge,
    ];
    let numbers = [
        RejectReason::InstrumentBoundsInvalid,
        RejectReason::BaseIsQuote,
        RejectReason::FeeTooHigh,
        RejectReason::TickTimesLotNotWhole,
        RejectReason::LotNotWhole,
        RejectReason::InstrumentAmountsTooLarge,
    ];
    assert!(numbers.is_sorted());
    let mut texts = in_order.map(|error| error.to_string()).to_vec();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), in_order.len(), "each refusal has its own sentence");
}

#[test]
fn notional_is_price_times_quantity() {
    let instrument = btcusdt();
    // 0.5 BTC at 50,000.00 USDT is 25,000 USDT.
    assert_eq!(instrument.notional(price(5_000_000), qty(50_000)), amount(2_500_000_000_000));
    assert_eq!(instrument.notional(price(1), qty(1)), amount(10));
    assert_eq!(instrument.notional(price(0), qty(1)), Amount::ZERO);
    assert_eq!(instrument.base_amount(qty(50_000)), amount(50_000_000));
}

#[test]
fn an_amount_buys_whole_lots_rounded_down() {
    let check = |minor, ticks, lots| {
        assert_eq!(btcusdt().lots_for(amount(minor), price(ticks)), qty(lots), "{minor}");
    };
    check(2_500_000_000_000, 5_000_000, 50_000);
    check(2_499_999_999_999, 5_000_000, 49_999);
    check(9, 1, 0);
    check(10, 1, 1);
    check(0, 1, 0);
    check(-10, 1, 0);
    check(i128::MAX, 1, u64::MAX);
}

#[test]
fn prices_are_parsed_by_tick_size_or_refused() {
    let check = |text, ticks: Option<i64>| {
        assert_eq!(btcusdt().parse_price(text), ticks.map(price), "{text}");
    };
    check("50000.01", Some(5_000_001));
    check("50000.01000000", Some(5_000_001));
    check("50000", Some(5_000_000));
    check("0.00", Some(0));
    check("0.001", None);
    check("-1", None);
    check("", None);
    check("90071992547409.92", Some(PRICE_MAX.ticks()));
    check("90071992547409.93", None);
    check("92233720368547758.08", None);
}

#[test]
fn quantities_are_parsed_by_lot_size_or_refused() {
    let check = |text, lots: Option<u64>| {
        assert_eq!(btcusdt().parse_qty(text), lots.map(qty), "{text}");
    };
    check("0.5", Some(50_000));
    check("0.50000000", Some(50_000));
    check("0", Some(0));
    check("0.000001", None);
    check("+1", None);
    check("90071992547.40992", Some(QTY_MAX.lots()));
    check("90071992547.40993", None);
    check("184467440737095.51616", None);
}

#[test]
fn prices_and_quantities_are_printed_with_at_least_their_own_digits() {
    let instrument = btcusdt();
    assert_eq!(instrument.format_price(price(5_000_001), 0), "50000.01");
    assert_eq!(instrument.format_price(price(5_000_001), 8), "50000.01000000");
    assert_eq!(instrument.format_qty(qty(50_000), 2), "0.50000");
    assert_eq!(instrument.format_qty(qty(1), 8), "0.00001000");
}

#[test]
fn amounts_are_parsed_by_decimals_or_refused() {
    let usdt = asset("USDT", 6);
    let check = |text, minor: Option<i128>| {
        assert_eq!(usdt.parse_amount(text), minor.map(amount), "{text}");
    };
    check("1.5", Some(1_500_000));
    check("1.50000000", Some(1_500_000));
    check("0", Some(0));
    check("0.0000001", None);
    check("-1", None);
    check("1329227995784915872903807060280.344576", Some(AMOUNT_MAX.minor()));
    check("1329227995784915872903807060280.344577", None);
    assert_eq!(usdt.format_amount(amount(1_500_000)), "1.500000");
    assert_eq!(asset("JPY", 0).format_amount(amount(-7)), "-7");
}

#[test]
fn amounts_and_quantities_add_up() {
    let mut sum: Qty = [qty(1), qty(2)].into_iter().sum();
    sum += qty(4);
    sum -= qty(2);
    assert_eq!((sum, sum + qty(1), sum - qty(1)), (qty(5), qty(6), qty(4)));
    let mut sum: Amount = [amount(1), amount(-2)].into_iter().sum();
    sum += amount(4);
    sum -= amount(8);
    assert_eq!((sum, sum + amount(5), sum - amount(1)), (amount(-5), Amount::ZERO, amount(-6)));
    assert!((sum + amount(5)).is_zero() && Qty::ZERO.is_zero());
    assert_eq!(Balance { free: amount(3), locked: amount(4) }.total(), amount(7));
}

#[test]
fn leaves_qty_of_an_order() {
    let check = |status, order_qty, quote_order_qty, cum_qty, leaves_qty| {
        let order = Order {
            instrument: InstrumentId(0),
            account: AccountId(1),
            order_id: OrderId(1),
            cl_ord_id: ClOrdId::parse("a").unwrap(),
            side: Side::Buy,
            order_type: OrderType::Limit,
            time_in_force: TimeInForce::Gtc,
            stp_mode: StpMode::None,
            status,
            strategy_id: None,
            strategy_type: None,
            price: price(10),
            order_qty: qty(order_qty),
            quote_order_qty: amount(quote_order_qty),
            cum_qty: qty(cum_qty),
            cum_quote: Amount::ZERO,
            created_ns: 0,
            updated_ns: 0,
            terms: None,
        };
        assert_eq!(order.leaves_qty(), qty(leaves_qty), "{status:?}");
    };
    check(OrderStatus::New, 60, 0, 0, 60);
    check(OrderStatus::PartiallyFilled, 60, 0, 20, 40);
    check(OrderStatus::Filled, 60, 0, 60, 0);
    check(OrderStatus::Canceled, 60, 0, 20, 0);
    check(OrderStatus::Expired, 60, 0, 0, 0);
    // A market order by quote amount has no remaining quantity.
    check(OrderStatus::New, 0, 500, 0, 0);
    check(OrderStatus::PartiallyFilled, 0, 500, 20, 0);
}

#[test]
fn an_aggressor_trades_at_its_limit_or_better() {
    let check = |side: Side, limit, resting, expect| {
        assert_eq!(side.crosses(price(limit), price(resting)), expect, "{side:?} {limit}");
    };
    check(Side::Buy, 10, 9, true);
    check(Side::Buy, 10, 10, true);
    check(Side::Buy, 10, 11, false);
    check(Side::Sell, 10, 9, false);
    check(Side::Sell, 10, 10, true);
    check(Side::Sell, 10, 11, true);
    assert_eq!([Side::Buy, Side::Sell].map(Side::opposite), [Side::Sell, Side::Buy]);
}

#[test]
fn reject_reasons_are_numbered_by_precedence() {
    let numbers: Vec<u16> = RejectReason::ALL.iter().map(|reason| reason.number()).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    assert!(RejectReason::UnknownAccount < RejectReason::NotionalBelowMin);
    for &reason in RejectReason::ALL {
        assert_eq!(RejectReason::from_number(reason.number()), Some(reason));
    }
    assert_eq!([0, 6, u16::MAX].map(RejectReason::from_number), [None; 3]);
}

#[test]
fn the_venues_own_commands_have_no_account_key_or_session() {
    let envelope = Envelope::venue(Origin::Admin, 5);
    assert_eq!((envelope.account, envelope.key), (AccountId::VENUE, KeyId(0)));
    assert_eq!((envelope.session, envelope.client_seq), (SessionId(0), 0));
    assert_eq!(
        (envelope.origin, envelope.received_ns, envelope.retry_key),
        (Origin::Admin, 5, None)
    );
    assert_eq!(envelope.address, None);
}

#[test]
fn an_address_reads_as_it_was_written() {
    for text in ["203.0.113.7", "2001:db8::7", "::1"] {
        let address = Address::from(text.parse::<std::net::IpAddr>().unwrap());
        assert_eq!(address.to_string(), text);
    }
    let mapped: std::net::IpAddr = "::ffff:203.0.113.7".parse().unwrap();
    assert_eq!(Address::from(mapped).to_string(), "203.0.113.7");
}

#[test]
fn an_order_is_found_by_either_id() {
    let cl_ord_id = ClOrdId::parse("my-order").unwrap();
    let by_id = OrderRef { order_id: Some(OrderId(7)), cl_ord_id: None };
    let by_cl_ord_id = OrderRef { order_id: None, cl_ord_id: Some(cl_ord_id) };
    assert_eq!(OrderRef::by_id(OrderId(7)), by_id);
    assert_eq!(OrderRef::by_cl_ord_id(cl_ord_id), by_cl_ord_id);
    assert_eq!(format!("{} {cl_ord_id}", OrderId(7)), "7 my-order");
}
