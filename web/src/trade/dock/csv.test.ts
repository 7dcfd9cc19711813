import { expect, test } from "vitest";
import { csv } from "./csv";

const columns = [
  { title: "Id", isText: true, value: ({ id }: { id: string; qty: string }) => id },
  { title: "Quantity", value: ({ qty }: { id: string; qty: string }) => qty },
];
const lineOf = (id: string, qty = "1") => csv(columns, [{ id, qty }]).split("\r\n").slice(1, -1).join("\r\n");

test("a table has a line of titles, and each line ends in CR LF", () => {
  expect(csv(columns, [{ id: "a", qty: "1.50" }])).toBe("Id,Quantity\r\na,1.50\r\n");
});

test("commas, quotes and line breaks are quoted; markup is left as it is", () => {
  expect(lineOf('a,"b"')).toBe('"a,""b""",1');
  expect(lineOf("a\nb")).toBe('"a\nb",1');
  expect(lineOf("<img src=x onerror=alert(1)>")).toBe("<img src=x onerror=alert(1)>,1");
});

test("a text that a spreadsheet would take as a formula becomes a text", () => {
  for (const start of ["=", "+", "-", "@", "|", "%", "\t=", " =", "＝"]) {
    expect(lineOf(`${start}1+1`)).toBe(`'${start}1+1,1`);
  }
  expect(lineOf('=HYPERLINK("x",A1)')).toBe(`"'=HYPERLINK(""x"",A1)",1`);
});

test("a number of ours keeps its sign", () => {
  expect(lineOf("a", "-5")).toBe("a,-5");
});
