interface Option<T extends string> {
  readonly value: T;
  readonly text: string;
  /** Why it cannot be chosen. */
  readonly unavailable?: string | null;
}

interface Props<T extends string> {
  label: string;
  path: string;
  value: T;
  options: readonly Option<T>[];
  onChoose: (value: T) => void;
}

export function SelectField<T extends string>({ label, path, value, options, onChoose }: Props<T>) {
  const id = `ticket-field-${path}`;
  return (
    <div class="ticket-line">
      <label class="ticket-label" for={id}>
        {label}
      </label>
      <select
        id={id}
        class="field"
        data-testid={`ticket-${path}`}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value as T)}
      >
        {options.map(({ value: one, text, unavailable }) => (
          <option key={one} value={one} disabled={Boolean(unavailable)} selected={one === value}>
            {unavailable ? `${text} (${unavailable})` : text}
          </option>
        ))}
      </select>
    </div>
  );
}
