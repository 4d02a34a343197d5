// Renders one chat template, apart from the page: templates come from strangers. The page ends this
// worker when it takes too long. The Jinja here interprets; it makes no JavaScript of a template.
//   in   {template, variables}
//   out  {ready} once, then {text} | {error}

import { Template } from "@huggingface/jinja";

self.onmessage = ({ data: { template, variables } }) => {
  try {
    self.postMessage({ text: new Template(template).render(variables) });
  } catch (error) {
    self.postMessage({ error: String(error?.message ?? error) });
  }
};

self.postMessage({ ready: true });
