import { format } from "../../numbers/decimal";

interface Props {
  value: bigint | null;
  decimals: number;
}

/** A number with gaps between thousands that are not in its text, so that a copy of it can be pasted into a field. */
export function Amount({ value, decimals }: Props) {
  if (value === null) return <span class="dim">–</span>;
  const text = format(value, decimals);
  const point = decimals === 0 ? text.length : text.length - decimals - 1;
  const first = point % 3 || 3;
  if (first >= point) return <>{text}</>;
  const groups = text.slice(first, point).match(/\d{3}/g) ?? [];
  return (
    <>
      {text.slice(0, first)}
      {groups.map((group, at) => (
        <span key={at} class="dock-group">
          {group}
        </span>
      ))}
      {text.slice(point)}
    </>
  );
}
