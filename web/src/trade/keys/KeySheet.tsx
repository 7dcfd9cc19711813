// All keys on one sheet, and a way to change each.
import { useSignal } from "@preact/signals";
import { keys } from "../../stores/settings";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { chordOf, chordWords, holderOf, isReserved } from "./chords";
import { bind, bindings, type Command, commands } from "./commands";
import { closeDialog, dialog } from "./dialogs";
import "./keys.css";

const GROUPS: readonly { id: Command["group"]; note?: string }[] = [
  { id: "Trade", note: "Off until the page is armed. In the quantity for clicks and keys." },
  { id: "Cancel" },
  { id: "Ticket" },
  { id: "Market" },
  { id: "Page" },
];

export function KeySheet() {
  /** The command that waits for its new key. */
  const editing = useSignal<string | null>(null);
  const refusal = useSignal("");
  if (dialog.value !== "keys") return null;
  const close = () => {
    editing.value = null;
    refusal.value = "";
    closeDialog();
  };
  const take = (event: KeyboardEvent) => {
    const id = editing.peek();
    if (id === null) return;
    event.preventDefault();
    event.stopPropagation();
    const chord = chordOf(event);
    if (chord === null) return;
    refusal.value = "";
    if (chord === "Escape") editing.value = null;
    else if (chord === "Backspace" || chord === "Delete") {
      bind(id, "");
      editing.value = null;
    } else {
      const holder = holderOf(chord, id, bindings.peek());
      const title = commands.peek().find((command) => command.id === holder)?.title;
      if (isReserved(chord)) refusal.value = `${chordWords(chord)} is needed by the page or the browser.`;
      else if (holder !== null) refusal.value = `${chordWords(chord)} is taken: ${title}.`;
      else {
        bind(id, chord);
        editing.value = null;
      }
    }
  };
  return (
    <Dialog title="Keys" onClose={() => editing.peek() === null && close()} testId="keys-dialog" class="keys">
      <p class="dim">
        Keys never act while you type in a field. Press a key's button to change it: then the new key, Backspace for
        none, Esc to keep it.
      </p>
      <p class="keys-refusal bad" role="alert">
        {refusal.value}
      </p>
      <div class="keys-groups">
        {GROUPS.map(({ id, note }) => (
          <section key={id} class="keys-group">
            <h3>{id}</h3>
            {note && <p class="dim keys-note">{note}</p>}
            <dl>
              {commands.value
                .filter(({ group }) => group === id)
                .map((command) => (
                  <KeyRow key={command.id} command={command} editing={editing} onKeyDown={take} />
                ))}
              {id === "Cancel" && (
                <div class="keys-row">
                  <dt>Cancel all my orders here</dt>
                  <dd>
                    <kbd>Esc Esc</kbd>
                  </dd>
                </div>
              )}
            </dl>
          </section>
        ))}
      </div>
      <Button
        disabled={Object.keys(keys.value).length === 0}
        title="All keys as the page has them at first"
        onClick={() => {
          keys.value = {};
        }}
      >
        Reset all keys
      </Button>
    </Dialog>
  );
}

interface RowProps {
  command: Command;
  editing: { value: string | null };
  onKeyDown: (event: KeyboardEvent) => void;
}

function KeyRow({ command: { id, title }, editing, onKeyDown }: RowProps) {
  const chord = bindings.value.get(id) ?? "";
  const isEdited = editing.value === id;
  const words = chord === "" ? "none" : chordWords(chord);
  return (
    <div class="keys-row">
      <dt>{title}</dt>
      <dd>
        <button
          type="button"
          class="keys-key"
          data-editing={isEdited}
          data-empty={chord === ""}
          data-testid={`key-${id}`}
          aria-label={isEdited ? `${title}: press the new key` : `${title}: ${words}. Change`}
          onClick={() => {
            editing.value = isEdited ? null : id;
          }}
          onKeyDown={onKeyDown}
          onBlur={() => {
            if (isEdited) editing.value = null;
          }}
        >
          {isEdited ? "press a key" : words}
        </button>
      </dd>
    </div>
  );
}
