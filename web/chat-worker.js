// Renders one chat template, apart from the page, because a template is a program by a stranger. The
// page ends this worker when it takes too long. @huggingface/jinja interprets the template; it makes
// no JavaScript of it.
//   in   {template, variables}
//   out  {ready} once, then {text} | {error}

import { Template } from "@huggingface/jinja";
import { explained, rendered } from "./engine/chat.js";

self.onmessage = ({ data: { template, variables } }) => {
  try {
    self.postMessage({ text: rendered(Template, template, variables) });
  } catch (error) {
<<<<<<< HEAD
    self.postMessage({ error: explained(error, template) });
=======
    self.postMessage({ error: error instanceof Error ? error.message : String(error) });
>>>>>>> 2e56cf2 (Start everything at navigation; the snapshot holds only what differs)
  }
};

self.postMessage({ ready: true });
