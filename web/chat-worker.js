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
    self.postMessage({ error: explained(error, template) });
  }
};

self.postMessage({ ready: true });
