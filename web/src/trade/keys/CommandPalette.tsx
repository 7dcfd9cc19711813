// Everything by its name: commands and markets.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { chosen, markets } from "../../stores/markets";
import { Dialog } from "../../ui/Dialog";
import { PHASE_NAMES } from "../ticket/words";
import { chordWords } from "./chords";
import { bindings, commands } from "./commands";
import { closeDialog, dialog } from "./dialogs";
import "./keys.css";
import { bestOf } from "./match";

const SHOWN = 60;

interface Entry {
  readonly id: string;
  readonly text: string;
  readonly note: string;
  readonly chord: string;
  readonly run: () => void;
}

export function CommandPalette() {
  return dialog.value === "palette" ? <Palette /> : null;
}

function Palette() {
  const query = useSignal("");
  const at = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const found = bestOf(query.value, entries(), ({ text, note }) => `${text} ${note}`, SHOWN);
  const index = Math.min(at.value, found.length - 1);
  const current = found[index];
  useEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  }, [index]);
  const run = (entry: Entry) => {
    closeDialog();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      at.value = Math.max(0, Math.min(found.length - 1, index + by));
    } else if (event.key === "Enter" && current && !event.isComposing) {
      event.preventDefault();
      run(current);
    }
  };
  return (
    <Dialog title="Commands" onClose={closeDialog} testId="palette-dialog" class="palette">
      <input
        class="field palette-query"
        type="text"
        role="combobox"
        aria-label="Command or market"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={current && `palette-${current.id}`}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        autofocus
        placeholder="Market, order type, cancel, theme …"
        data-testid="palette-query"
        value={query}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id="palette-list" class="palette-list" role="listbox" aria-label="Commands and markets">
        {found.map((entry, position) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys of the list.
          <div
            key={entry.id}
            id={`palette-${entry.id}`}
            class="palette-entry"
            role="option"
            aria-selected={position === index}
            onClick={() => run(entry)}
            onPointerMove={() => {
              at.value = position;
            }}
          >
            <span>{entry.text}</span>
            <span class="dim palette-note">{entry.note}</span>
            {entry.chord !== "" && <kbd>{chordWords(entry.chord)}</kbd>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="dim palette-none">Nothing has this name.</p>}
    </Dialog>
  );
}

/** Markets after the commands without a query would be out of reach, so they come first. */
function entries(): readonly Entry[] {
  const ofMarkets = [...markets.value.values()].map(({ symbol, base, quote, phase }) => ({
    id: `market-${symbol}`,
    text: symbol,
    note: `${base} in ${quote} · ${PHASE_NAMES[phase]}`,
    chord: "",
    run: () => {
      chosen.value = symbol;
    },
  }));
  const ofCommands = commands.value
    .filter(({ id }) => id !== "palette")
    .map(({ id, title, group, run }) => ({ id, text: title, note: group, chord: bindings.value.get(id) ?? "", run }));
  return [...ofMarkets.slice(0, MARKETS_FIRST), ...ofCommands, ...ofMarkets.slice(MARKETS_FIRST)];
}

const MARKETS_FIRST = 8;
