import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { format } from "../../numbers/decimal";
import { book } from "../../stores/book";
import type { Market } from "../../stores/types";
import { colours } from "../../ui/colours";
import { around, crossing, curve } from "./demandSupply";
import { drawCurve } from "./drawCurve";

const DRAW_EVERY_MS = 250;

interface Props {
  of: Market;
  /** The venue's own, which knows market orders as well. */
  indicative: bigint | null;
}

/** Cumulative demand and supply by price, with the point at which they cross. */
export function Curve({ of, indicative }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let drawn = -1;
    const draw = (isForced: boolean) => {
      if (!canvas.current || document.hidden || (!isForced && book.version === drawn)) return;
      drawn = book.version;
      const points = curve(book.bids, book.asks);
      drawCurve(
        canvas.current,
        around(points, indicative ?? crossing(points)?.price ?? null),
        indicative ?? crossing(points)?.price ?? null,
        of,
        colours.peek(),
      );
    };
    const observer = new ResizeObserver(() => draw(true));
    if (canvas.current) observer.observe(canvas.current);
    const timer = setInterval(() => draw(false), DRAW_EVERY_MS);
    const end = effect(() => {
      void colours.value;
      draw(true);
    });
    return () => {
      observer.disconnect();
      clearInterval(timer);
      end();
    };
  }, [of, indicative]);
  const at = indicative === null ? "they do not cross" : `they cross at ${format(indicative, of.price.decimals)}`;
  return <canvas ref={canvas} class="auction-curve" role="img" aria-label={`Demand and supply by price: ${at}`} />;
}
