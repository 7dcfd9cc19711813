// Where the person is: the venue, its market, the account, and whether all of it is the present.
import { useSignal } from "@preact/signals";
import { format, formatGrouped, toNumber } from "../numbers/decimal";
import { FRESHNESS_WORDS } from "../stores/freshness";
import { connection } from "../stores/link";
import { market, tickers } from "../stores/markets";
import { session } from "../stores/session";
import { PhaseBanner } from "../trade/auction/PhaseBanner";
import { SafetyBar } from "../trade/safety/SafetyBar";
import { Button } from "../ui/Button";
import { isDesk } from "../ui/desk";
import { later } from "../ui/Later";

const AccountDialog = later("The account", async () => (await import("./AccountDialog")).AccountDialog);

export function TopBar() {
  return (
    <header class="top">
      <h1 class="top-name">Buttonwood</h1>
      <MarketHead />
      <PhaseBanner />
      <div class="top-right">
        {isDesk.value && <SafetyBar />}
        <Account />
        <Connection />
      </div>
    </header>
  );
}

function MarketHead() {
  const of = market.value;
  if (of === null) return null;
  const ticker = tickers.value.get(of.symbol);
  return (
    <div class="top-market">
      <strong>{of.symbol}</strong>
      {ticker && <LastPrice last={ticker.last} open={ticker.open} decimals={of.price.decimals} />}
      {ticker && (
        <span class="top-figures dim">
          24 h high {format(ticker.high, of.price.decimals)} · low {format(ticker.low, of.price.decimals)} · volume{" "}
          {toNumber(ticker.volume, of.baseDecimals).toLocaleString("en", { maximumFractionDigits: 2 })} {of.base}
        </span>
      )}
    </div>
  );
}

function LastPrice({ last, open, decimals }: { last: bigint; open: bigint; decimals: number }) {
  const isUp = last >= open;
  const percent = open === 0n ? 0 : (Number(last - open) / Number(open)) * 100;
  return (
    <span class={isUp ? "up" : "down"}>
      <span class="number top-last">{formatGrouped(last, decimals)}</span>{" "}
      <span class="number">
        {isUp ? "▲" : "▼"} {Math.abs(percent).toFixed(2)} %
      </span>
    </span>
  );
}

function Account() {
  const isOpen = useSignal(false);
  const who = session.value;
  if (who === null) return <span class="dim top-account">not signed in</span>;
  return (
    <>
      <Button
        class="top-account"
        label={`Account ${who.account}`}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {who.account}
      </Button>
      {isOpen.value && (
        <AccountDialog
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </>
  );
}

function Connection() {
  const state = connection.value;
  return (
    <span class="connection" data-testid="connection" data-state={state} role="status">
      <span class="connection-dot" aria-hidden="true" />
      {FRESHNESS_WORDS[state]}
    </span>
  );
}
