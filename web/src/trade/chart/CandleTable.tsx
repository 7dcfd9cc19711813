import { format, formatShort } from "../../numbers/decimal";
import type { Candle, Market } from "../../stores/types";

interface Props {
  market: Market;
  interval: string;
  /** Oldest first. */
  candles: readonly Candle[];
}

/** The newest candles for those who do not see the chart. */
export function CandleTable({ market, interval, candles }: Props) {
  const price = (value: bigint) => format(value, market.price.decimals);
  return (
    <table class="hidden-text">
      <caption>
        {market.symbol}, last {candles.length} candles of {interval}, newest first
      </caption>
      <thead>
        <tr>
          {["Begin (UTC)", "Open", "High", "Low", "Close", `Volume in ${market.base}`].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {candles.toReversed().map(({ openMs, open, high, low, close, volume }) => (
          <tr key={openMs}>
            <th scope="row">{new Date(openMs).toISOString().slice(0, 19).replace("T", " ")}</th>
            <td>{price(open)}</td>
            <td>{price(high)}</td>
            <td>{price(low)}</td>
            <td>{price(close)}</td>
            <td>{formatShort(volume, market.baseDecimals)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
