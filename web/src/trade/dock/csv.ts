// A table as a file for spreadsheets.

export interface CsvColumn<T> {
  readonly title: string;
  /** `isText`: another person may have written it, such as a client order id. */
  readonly isText?: boolean;
  readonly value: (row: T) => string;
}

/** RFC 4180, with lines that end in CR LF. */
export function csv<T>(columns: readonly CsvColumn<T>[], rows: readonly T[]): string {
  const lines = [columns.map(({ title }) => field(title))];
  for (const row of rows) {
    lines.push(columns.map(({ value, isText }) => field(isText ? neutral(value(row)) : value(row))));
  }
  return lines.map((line) => `${line.join(",")}\r\n`).join("");
}

/** A spreadsheet takes a text that begins so as a formula: an apostrophe makes it a text. */
function neutral(text: string): string {
  return /^[\s]*[=+\-@|%\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Hands the file to the browser. The mark at its begin makes Excel read UTF-8. */
export function saveCsv(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob(["\uFEFF", text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
