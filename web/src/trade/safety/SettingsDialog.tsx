import type { Signal } from "@preact/signals";
import { parse } from "../../numbers/decimal";
import {
  actsOnDown,
  armsByHold,
  isSoundOn,
  type Palette,
  palette,
  type Theme,
  theme,
  type Warnings,
  warnings,
} from "../../stores/settings";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Toggle } from "../../ui/Toggle";
import { closeDialog, dialog, openDialog } from "../keys/dialogs";
import "./settings.css";

const THEMES: readonly { value: Theme; text: string }[] = [
  { value: "dark", text: "Dark" },
  { value: "light", text: "Light" },
  { value: "system", text: "As the system" },
];
const PALETTES: readonly { value: Palette; text: string }[] = [
  { value: "blue-orange", text: "Blue up, orange down" },
  { value: "green-red", text: "Green up, red down" },
  { value: "red-green", text: "Red up, green down" },
];
const BOUNDS: readonly { name: keyof Warnings; text: string; unit: string }[] = [
  { name: "percentAway", text: "Price worse than the last by over", unit: "%" },
  { name: "ticksAway", text: "or by over", unit: "ticks" },
  { name: "maxQty", text: "Quantity above", unit: "base asset" },
  { name: "maxCost", text: "Worth more than", unit: "quote asset" },
];
const BOUND_DECIMALS = 8;

export function SettingsDialog() {
  if (dialog.value !== "settings") return null;
  return (
    <Dialog title="Settings" onClose={closeDialog} testId="settings-dialog" class="settings">
      <Choice name="Theme" of={theme} options={THEMES} />
      <Choice name="Colors" of={palette} options={PALETTES} />
      <fieldset class="settings-part">
        <legend>Ask before sending</legend>
        {BOUNDS.map((bound) => (
          <Bound key={bound.name} {...bound} />
        ))}
        <p class="dim">Empty: no warning. A warning asks; it does not forbid.</p>
      </fieldset>
      <fieldset class="settings-part">
        <legend>Trading</legend>
        <Switch of={armsByHold}>Hold to arm</Switch>
        <Switch of={actsOnDown}>Act on the press of a mouse button, not on its release</Switch>
        <Switch of={isSoundOn}>Sounds</Switch>
      </fieldset>
      <Button onClick={() => openDialog("keys")}>Keys …</Button>
    </Dialog>
  );
}

interface ChoiceProps<T extends string> {
  name: string;
  of: Signal<T>;
  options: readonly { readonly value: T; readonly text: string }[];
}

function Choice<T extends string>({ name, of, options }: ChoiceProps<T>) {
  return (
    <fieldset class="settings-part">
      <legend>{name}</legend>
      {options.map(({ value, text }) => (
        <label key={value} class="settings-choice">
          <input
            type="radio"
            name={name}
            checked={of.value === value}
            onChange={() => {
              of.value = value;
            }}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

function Switch({ of, children }: { of: Signal<boolean>; children: string }) {
  return (
    <Toggle
      checked={of.value}
      onChange={(on) => {
        of.value = on;
      }}
    >
      {children}
    </Toggle>
  );
}

function Bound({ name, text, unit }: (typeof BOUNDS)[number]) {
  const value = warnings.value[name] ?? "";
  const parsed = parse(value, BOUND_DECIMALS);
  const isWrong = "problem" in parsed ? parsed.problem !== "empty" : parsed.units < 0n;
  const id = `settings-${name}`;
  return (
    <div class="settings-bound">
      <label for={id}>{text}</label>
      <input
        id={id}
        class="field number"
        inputMode="decimal"
        autocomplete="off"
        value={value}
        aria-invalid={isWrong}
        onInput={(event) => {
          warnings.value = { ...warnings.peek(), [name]: event.currentTarget.value };
        }}
      />
      <span class="dim">{unit}</span>
      {isWrong && <span class="bad settings-wrong">Not a number: no warning until it is one</span>}
    </div>
  );
}
