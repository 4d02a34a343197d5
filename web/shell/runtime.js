// The page's worker, which start.js has started.

import { Runtime } from "../client.js";
import { launched } from "../engine/start.js";

export const runtime = new Runtime(launched);
