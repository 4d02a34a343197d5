"""PLaMo as llama.cpp does it: one table of suffixes, over bytes; no cuts, no memo."""

INVALID = -20000000
UNKNOWN = -10000000
SPACES = {9, 10, 11, 12, 13, 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)}
SPACES |= {0x2028, 0x2029, 0x202F, 0x205F, 0x3000, *range(0x1C, 0x20)}


def decode(data):
    """Code points of bytes; U+FFFD for a byte that begins none. (points, widths in bytes)."""
    points, widths = [], []
    at = 0
    while at < len(data):
        lead = data[at]
        size = 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        rest = data[at + 1 : at + size]
        good = lead < 0x80 or 0xC0 <= lead < 0xF8
        if not good or len(rest) < size - 1 or any(byte >> 6 != 2 for byte in rest):
            size, point = 1, 0xFFFD
        else:
            point = lead if size == 1 else lead & (0x7F >> size)
            for byte in rest:
                point = point * 64 + (byte & 63)
        points.append(point)
        widths.append(size)
        at += size
    return points, widths


def encode_point(point):
    """UTF-8 of any number below 2 ** 21: surrogates too, and what is over U+10FFFF."""
    size = 1 + (point >= 0x80) + (point >= 0x800) + (point >= 0x10000)
    if size == 1:
        return bytes([point])
    tail = [0x80 | point >> 6 * i & 0x3F for i in range(size - 1)]
    return bytes([0xF00 >> size & 0xFF | point >> 6 * (size - 1), *tail[::-1]])


def encode_points(points):
    return b"".join(map(encode_point, points))


def whole(score):
    """The score in 1/10000, rounded half away from zero, as an int32 of llama.cpp's platform."""
    if score != score or score in (float("inf"), float("-inf")):
        return INVALID
    scaled = abs(score * 1e4)
    rounded = int(scaled) + (scaled - int(scaled) >= 0.5)
    rounded = -rounded if score < 0 else rounded
    return rounded if -(2**31) <= rounded < 2**31 else -(2**31)


class Table:
    """Built of (text bytes, score, is byte token) per id."""

    def __init__(self, tokens):
        self.bytes = [0] * 256
        self.ids = {}
        scores = {}
        for id_, (text, score, is_byte) in enumerate(tokens):
            self.ids[text] = id_
            if is_byte:
                if len(text) == 6 and text[:3] == b"<0x" and text[5:] == b">":
                    self.bytes[int(text[3:5], 16)] = id_
                continue
            scores[text] = score
            points, _ = decode(text)
            for at in range(1, len(points)):
                scores.setdefault(encode_points(points[at:]), float("nan"))
        assert all(self.bytes)
        self.build(scores)

    def build(self, scores):
        """Rows of (length, id, score, first row of the piece), a suffix's prefixes together."""
        self.next, self.rows = {}, []
        first = {}
        for suffix in sorted({*scores, b""}, key=lambda text: text[::-1]):
            first[suffix] = len(self.rows)
            points, _ = decode(suffix)
            if points:
                self.next[points[0], first[encode_points(points[1:])]] = len(self.rows)
            for length in range(len(points), 0, -1):
                piece = encode_points(points[:length])
                if piece in scores:
                    row = (length, self.ids.get(piece, -1), whole(scores[piece]), piece)
                    self.rows.append(row)
            self.rows.append((1, -1, UNKNOWN, b""))
        self.rows = [(*row, first[piece]) for *row, piece in self.rows]

    def best(self, points):
        """(length, id) of the tokens of the best path."""
        costs = [0] * (len(points) + 1)
        path = [(0, 0)] * len(points)
        state = 0
        for at in range(len(points) - 1, -1, -1):
            row = state
            while True:
                state = self.next.get((points[at], self.rows[row][3]), 0)
                if state > 0 or self.rows[row][2] == UNKNOWN:
                    break
                row += 1
            costs[at] = 1 << 60
            row = state
            while True:
                length, id_, score, _ = self.rows[row]
                if score > INVALID and costs[at + length] - score < costs[at]:
                    costs[at] = costs[at + length] - score
                    path[at] = length, id_
                if score == UNKNOWN:
                    break
                row += 1
        at, taken = 0, []
        while at < len(points):
            taken.append(path[at])
            at += path[at][0]
        return taken


def segments(points):
    """(start, end) of PLaMo 3's segments."""
    end = len(points)
    cut = set()
    prefix = [ord(char) for char in "<|plamo:"]
    at = 0
    while at < end:
        stop = at + len(prefix)
        if points[at:stop] == prefix:
            body = stop
            while stop < end and stop - body < 64 and points[stop] not in {ord("|"), *SPACES}:
                stop += 1
            if points[stop : stop + 2] == [ord("|"), ord(">")]:
                cut |= {at, stop + 2}
                at = stop + 2
                continue
        at += 1
    at = 0
    while at < end:
        stop = at + 1
        while stop < end and points[stop] == points[at] and stop not in cut:
            stop += 1
        if (stop - at >= 4 and points[at] != 10) or (stop - at >= 2 and points[at] == 32):
            cut |= {at, stop}
        at = stop
    start = 0
    for at in range(end + 1):
        boundary = at < end and points[at] == 0xEE00
        if at == end or at in cut or boundary:
            if start < at:
                yield start, at
            start = at + boundary


def spans(table, segmented, text):
    """(id, start, end) in bytes: as many of a character's bytes as it has byte tokens."""
    points, widths = decode(text.encode("utf-8", "surrogateescape"))
    offsets = [sum(widths[:at]) for at in range(len(widths) + 1)]
    parts = segments(points) if segmented else [(int(points[:1] == [0xFEFF]), len(points))]
    found = []
    for first, end in parts:
        at = first
        for length, id_ in table.best(points[first:end]):
            start, stop = offsets[at], offsets[at + length]
            if id_ >= 0:
                found.append((id_, start, stop))
            else:
                raw = encode_point(points[at])
                for i, byte in enumerate(raw, start):
                    is_last = i == start + len(raw) - 1
                    place = min(i, stop), stop if is_last else min(i + 1, stop)
                    found.append((table.bytes[byte], *place))
            at += length
    return found
