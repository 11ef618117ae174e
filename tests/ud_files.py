"""Made-up CoNLL-U files: two analyses of the same characters, with words of their own."""

import random

RELATIONS = ("nsubj", "obl:x", "obl", "case", "det", "punct", "root", "aux")
FEATURES = ("_", "Case=Nom", "Case=Nom|Own=Yes", "Number=Sing|Case=Nom", "Own=Yes")


def analysis(characters: str, rng: random.Random, *, blanks: bool = True) -> str:
    """A random analysis: sentences, tokens, multi-word tokens, words, tags and trees."""
    lines: list[str] = []
    at = number = 0
    while at < len(characters):
        number += 1
        lines += [f"# sent_id = s{number}"] * rng.randint(0, 1)
        stop = min(len(characters), at + rng.choice((1, 3, 8, 15)))
        rows: list[tuple[str, list[str]]] = []  # a token, and its words
        while at < stop:
            end = min(stop, at + rng.choice((1, 1, 2, 3)))
            token = characters[at:end]
            words = [token]
            if rng.random() < 0.35:
                split = rng.randint(1, len(token))
                words = [w for w in (token[:split], token[split:]) if w] + ["b"] * rng.randint(0, 1)
                if rng.random() < 0.4:
                    words = [w.upper() for w in words]
                rows.append((token, words))
            else:
                rows.append((token, []))
            at = end
        lines += _sentence(rows, rng, blanks=blanks)
    return "\n".join(lines) + "\n"


def _sentence(rows: list[tuple[str, list[str]]], rng: random.Random, *, blanks: bool) -> list[str]:
    count = sum(len(words) or 1 for _, words in rows)
    order = list(range(1, count + 1))
    rng.shuffle(order)  # each word depends on one before it in this order: a tree with one root
    head = {order[0]: 0} | {word: rng.choice(order[:k]) for k, word in enumerate(order) if k}
    lines, place = [], 0
    for token, words in rows:
        if words:
            span = f"{place + 1}-{place + len(words)}"
            lines.append(f"{span}\t{token}" + 8 * "\t_")
        for word in words or [token]:
            place += 1
            form = word
            if blanks and not words and len(word) > 1 and rng.random() < 0.2:
                form = word[0] + rng.choice((" ", "\u00a0")) + word[1:]
            tags = (rng.choice(("x", "y", "_")), rng.choice("NV"), rng.choice("nv"))
            lemma, upos, xpos = tags
            relation, features = rng.choice(RELATIONS), rng.choice(FEATURES)
            fields = (place, form, lemma, upos, xpos, features, head[place], relation, "_", "_")
            lines.append("\t".join(map(str, fields)))
            if rng.random() < 0.05 and not words:
                lines.append(f"{place}.1\tgone" + 8 * "\t_")
    return [*lines, ""]


def text(rng: random.Random) -> str:
    """Characters of which many are alike, so that words of other places look the same."""
    return "".join(rng.choice("aabc") for _ in range(rng.randint(1, 40)))
