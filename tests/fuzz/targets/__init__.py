"""What is fuzzed.  Each module has make(choices) -> case, size(case) in bytes and check(case)."""

from types import ModuleType

from tests.fuzz.targets import bridge, chat, reader, text, vocab

TARGETS: dict[str, ModuleType] = {
    module.__name__.rpartition(".")[2]: module for module in (reader, vocab, text, chat, bridge)
}
