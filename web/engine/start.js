// The first script to run: the worker starts while the page is still being read.

import { Runtime } from "../client.js";

export const runtime = new Runtime();
