// Texts to begin with. Each shows something that tokenizers differ in.

import { byId, element } from "./page.js";

const EXAMPLES = [
  ["English", "The unbelievable truth: tokenizers don’t read words, they read pieces.\n"],
  [
    "Code",
    'def fib(n: int) -> int:\n    """The nth Fibonacci number."""\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n',
  ],
  ["Numbers", "1 12 123 1234 12345 123456\n3.14159 −273.15 °C, 1,000,000\n2026-11-30T22:45:00Z\n"],
  ["Emoji", "🙂 👩‍🚀 👨‍👩‍👧 🇫🇷 👍🏽 ❤️\n"],
  ["中文", "你好，世界。语言模型读的是词元，而不是文字。\n"],
  ["Русский", "Здравствуй, мир! Токены — это кусочки текста.\n"],
  [
    "Chat",
    "<|im_start|>user\nWhat is a token?<|im_end|>\n<|im_start|>assistant\nA piece of text.<|im_end|>\n",
  ],
];

/** use(text): puts it in place of the text. */
export function listExamples(use) {
  const group = byId("samples");
  group.append(...EXAMPLES.map(([label, text]) => example(label, () => use(text))));
  group.inert = false;
}

function example(label, onClick) {
  const button = element("button", label);
  button.type = "button";
  button.addEventListener("click", onClick);
  return button;
}
