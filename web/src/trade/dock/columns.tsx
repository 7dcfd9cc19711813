// Columns that orders and fills share.
import type { Side } from "../../stores/types";
import { SideWord } from "./State";
import type { TableColumn } from "./table";

interface Traded {
  readonly symbol: string;
  readonly side: Side;
}

export const symbolColumn: TableColumn<Traded> = {
  id: "symbol",
  title: "Market",
  width: "72px",
  cell: ({ symbol }) => symbol,
  sortKey: ({ symbol }) => symbol,
  csv: ({ symbol }) => symbol,
  isText: true,
};

export const sideColumn: TableColumn<Traded> = {
  id: "side",
  title: "Side",
  width: "34px",
  cell: ({ side }) => <SideWord side={side} />,
  sortKey: ({ side }) => side,
  csv: ({ side }) => side,
};
