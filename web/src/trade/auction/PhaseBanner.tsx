import { market } from "../../stores/markets";
import { Countdown } from "./Countdown";
import { PHASES } from "./phases";
import "./auction.css";

/** Says why the chosen market does not trade as usual; nothing while it does. */
export function PhaseBanner() {
  const of = market.value;
  // A screen reader says what appears in an area that was there before.
  return (
    <div class="phase-banner-area" role="status" data-testid="phase-banner">
      {of && of.phase !== "Continuous" && (
        <p class="phase-banner" data-look={PHASES[of.phase].look} title={PHASES[of.phase].text}>
          <strong>
            <span class="hidden-text">{of.symbol}: </span>
            {PHASES[of.phase].title}
          </strong>
          {of.phaseEndsMs !== null && (
            // Its seconds would interrupt all else that is read out.
            <span aria-live="off">
              {" "}
              <Countdown endsMs={of.phaseEndsMs} />
            </span>
          )}
          . {PHASES[of.phase].text}
        </p>
      )}
    </div>
  );
}
