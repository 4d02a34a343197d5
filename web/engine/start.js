// The first script to run, apart from the page's: the worker starts while that is still being fetched.

import { launch } from "./launch.js";

export const launched = launch(document.baseURI);
