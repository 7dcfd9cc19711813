// First: what a panel says of the same element comes later, and wins.
import "./ui/theme.css";
import { render } from "preact";
import { App } from "./app";
import { followVenue } from "./stores/follow";
import { applyTheme } from "./ui/colours";

applyTheme();
const page = document.getElementById("page");
// What the document has there is the first paint, which waits for no script.
if (page) render(<App />, page);
followVenue();
