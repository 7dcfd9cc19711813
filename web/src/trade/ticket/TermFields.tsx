// The terms of one order beyond its price and its time.
import { NumberField } from "./NumberField";
import { fieldsOf, type OrderFieldsProps } from "./OrderFields";
import { SelectField } from "./SelectField";
import { chosenOf, mayRest, TAKES } from "./types";

/** What the market sees of it, and how much must trade on arrival. */
export function TermFields({ path, type, times, market, problemOf }: OrderFieldsProps) {
  const fields = fieldsOf(path);
  const takes = TAKES[type];
  const time = times.length === 0 ? null : chosenOf(times, fields.timeInForce.value);
  const isResting = time === null || mayRest(time);
  const display = isResting ? fields.display.value : "shown";
  return (
    <>
      {takes.display && (
        <SelectField
          label="Display"
          path={`${path}display`}
          value={display}
          options={[
            { value: "shown", text: "All of it" },
            { value: "iceberg", text: "A part: iceberg", unavailable: isResting ? null : `${time} does not rest` },
            { value: "hidden", text: "Nothing: hidden", unavailable: isResting ? null : `${time} does not rest` },
          ]}
          onChoose={(chosen) => {
            fields.display.value = chosen;
          }}
        />
      )}
      {takes.display && display === "iceberg" && (
        <NumberField
          label="Displayed"
          path={`${path}icebergQty`}
          testId={`ticket-${path}iceberg-qty`}
          value={fields.icebergQty}
          scale={market.qty}
          unit={market.base}
          problem={problemOf(`${path}icebergQty`)}
        />
      )}
      {takes.minQty && (
        <NumberField
          label="At least"
          path={`${path}minQty`}
          testId={`ticket-${path}min-qty`}
          value={fields.minQty}
          scale={{ ...market.qty, min: market.qty.step }}
          unit={market.base}
          placeholder="any"
          problem={problemOf(`${path}minQty`)}
        />
      )}
    </>
  );
}
