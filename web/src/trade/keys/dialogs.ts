// Which of the page's own dialogs is open.
import { signal } from "@preact/signals";

export type DialogName = "keys" | "palette" | "settings";

export const dialog = signal<DialogName | null>(null);

export function openDialog(name: DialogName): void {
  dialog.value = name;
}

export function closeDialog(): void {
  dialog.value = null;
}
