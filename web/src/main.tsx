import { render } from "preact";
import { App } from "./app";
import { followVenue } from "./stores/follow";
import { applyTheme } from "./ui/colours";
import "./ui/theme.css";

applyTheme();
const page = document.getElementById("page");
if (page) render(<App />, page);
followVenue();
