"""A model of 100 KB that llama.cpp loads and runs: a byte tokenizer, and weights of zero: all tokens are as likely.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from pathlib import Path

_ALIGNMENT = 32
_WIDTH = 32
_UINT32, _INT32, _FLOAT32, _STRING, _ARRAY = 4, 5, 6, 8, 9
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6
_CHAT_TEMPLATE = "{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}\n{% endfor %}[assistant]"

_TOKENS = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581"]
_TYPES = [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256, _NORMAL]


def write_tiny_gguf(path: Path) -> Path:
    metadata = _metadata()
    tensors = _tensors()
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata)) + b"".join(metadata)
    offset = 0
    data = b""
    for name, shape in tensors.items():
        head += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset)
        count = shape[0] * (shape[1] if len(shape) == 2 else 1)
        data += _padded(b"\0" * 4 * count)
        offset = len(data)
    path.write_bytes(_padded(head) + data)
    return path


def _metadata() -> list[bytes]:
    numbers = {
        "llama.context_length": 16_384,
        "llama.embedding_length": _WIDTH,
        "llama.block_count": 1,
        "llama.feed_forward_length": _WIDTH,
        "llama.attention.head_count": 1,
        "llama.attention.head_count_kv": 1,
        "llama.rope.dimension_count": _WIDTH,
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
    }
    texts = {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "llama",
        "tokenizer.chat_template": _CHAT_TEMPLATE,
    }
    return [
        *(_text(key) + struct.pack("<I", _STRING) + _text(value) for key, value in texts.items()),
        *(_text(key) + struct.pack("<II", _UINT32, value) for key, value in numbers.items()),
        _text("llama.attention.layer_norm_rms_epsilon") + struct.pack("<If", _FLOAT32, 1e-5),
        _array("tokenizer.ggml.tokens", _STRING, [_text(token) for token in _TOKENS]),
        _array("tokenizer.ggml.scores", _FLOAT32, [struct.pack("<f", 0.0)] * len(_TOKENS)),
        _array("tokenizer.ggml.token_type", _INT32, [struct.pack("<i", kind) for kind in _TYPES]),
    ]


def _tensors() -> dict[str, tuple[int, ...]]:
    square, line, table = (_WIDTH, _WIDTH), (_WIDTH,), (_WIDTH, len(_TOKENS))
    block = {
        **dict.fromkeys(("attn_norm", "ffn_norm"), line),
        **dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"), square),
    }
    return {
        "token_embd.weight": table,
        "output_norm.weight": line,
        "output.weight": table,
        **{f"blk.0.{name}.weight": shape for name, shape in block.items()},
    }


def _array(key: str, kind: int, items: list[bytes]) -> bytes:
    return _text(key) + struct.pack("<IIQ", _ARRAY, kind, len(items)) + b"".join(items)


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % _ALIGNMENT)
