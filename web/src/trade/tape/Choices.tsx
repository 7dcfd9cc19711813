// From which size on trades are shown and heard.
import { isSoundOn } from "../../stores/settings";
import type { Market } from "../../stores/types";
import { Button } from "../../ui/Button";
import { shownFrom, sizeOf, soundFrom } from "./smallest";

export function Choices({ market: of }: { market: Market }) {
  const field = (label: string, setting: typeof shownFrom) => {
    const text = setting.value[of.symbol] ?? "";
    const isBad = text !== "" && sizeOf(text, of.qty.decimals) === null;
    return (
      <label>
        <span>{label}</span>
        <input
          class="field number"
          inputMode="decimal"
          placeholder={of.base}
          aria-invalid={isBad}
          title={isBad ? `Not a size with at most ${of.qty.decimals} decimals` : undefined}
          value={text}
          onInput={({ currentTarget }) => {
            setting.value = { ...setting.peek(), [of.symbol]: currentTarget.value };
          }}
        />
      </label>
    );
  };
  return (
    <div class="tape-choices">
      {field("Show from", shownFrom)}
      {field("Sound from", soundFrom)}
      <Button pressed={isSoundOn.value} onClick={() => (isSoundOn.value = !isSoundOn.value)}>
        Sound {isSoundOn.value ? "on" : "off"}
      </Button>
    </div>
  );
}
