"""Write the bundled raw outputs from a documented model: one small grammar, seven tasks.

120 sentences of the grammar

    S -> NP VP .    VP -> V NP [PP]    NP -> DT [JJ] NN | NNP [NNP]    PP -> IN NP

in 30 documents of four. The grammar gives each sentence its words, its entities, its dependencies,
its phrases, an alignment with its mirror image (adjectives after nouns), a question (where?) and a
class (its adjective's mood). Two systems, ``base`` and ``new``, make independent mistakes in each
of these with fixed rates; ``new`` makes fewer.

The same seed writes the same bytes; a test compares them with the files in the package.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "src" / "betterthan" / "bundled" / "outputs"
SEED = 2021
SENTENCES, PER_DOCUMENT = 120, 4
SYSTEMS = {"base": 0.16, "new": 0.11}  # how often a decision goes wrong

NOUNS = "cat dog judge sailor letter violin bridge storm garden map captain river".split()
VERBS = "saw found painted followed missed described".split()
MOODS = {"good": "bright kind happy calm", "bad": "broken angry cold grey", "plain": "old tall"}
NAMES = {"PER": ["Ada Byron", "Grace", "Alan Mathison"], "LOC": ["Rome", "New Delhi", "Lima"]}
UPOS = {"DT": "DET", "JJ": "ADJ", "NN": "NOUN", "NNP": "PROPN", "VBD": "VERB", "IN": "ADP"}
RELATIONS = ["det", "amod", "nsubj", "obj", "obl", "case", "flat"]


@dataclass(frozen=True)
class Word:
    """A word with its tag, entity tag, head (from one; 0 is the root) and relation."""

    form: str
    tag: str
    entity: str
    head: int
    relation: str


@dataclass(frozen=True)
class Sentence:
    """Words, the ends of its phrases (subject, object, prepositional), and its mood."""

    words: tuple[Word, ...]
    ends: tuple[int, int, int]
    mood: str


def sentence(rng: np.random.Generator) -> Sentence:
    """Draw a sentence from the grammar."""
    mood = str(rng.choice(list(MOODS)))
    adjective = str(rng.choice(MOODS[mood].split()))
    named = rng.random(3) < [0.4, 0.2, 0.7]
    phrases = []
    for place in range(3):
        if named[place]:
            kind = "LOC" if place == 2 else "PER"
            parts = str(rng.choice(NAMES[kind])).split()
            phrases.append([(w, "NNP", "BI"[k > 0] + f"-{kind}") for k, w in enumerate(parts)])
        else:
            middle = [(adjective, "JJ", "O")] * int(rng.random() < 0.6)
            noun = str(rng.choice(NOUNS))
            phrases.append([("the", "DT", "O"), *middle, (noun, "NN", "O")])
    if rng.random() < 0.25:
        phrases.pop()  # no prepositional phrase
    words: list[Word] = []
    ends = []
    verb = len(phrases[0]) + 1
    for place, phrase in enumerate(phrases):
        if place == 2:
            words.append(Word("in", "IN", "O", _nominal(phrase, len(words) + 1), "case"))
        head = _nominal(phrase, len(words))
        for k, (form, tag, entity) in enumerate(phrase, start=len(words) + 1):
            own = {"DT": "det", "JJ": "amod"}.get(tag, "flat")
            if k == head:
                words.append(Word(form, tag, entity, verb, ["nsubj", "obj", "obl"][place]))
            else:
                words.append(Word(form, tag, entity, head, own))
        if place == 0:
            words.append(Word(str(rng.choice(VERBS)), "VBD", "O", 0, "root"))
        ends.append(len(words) - (place == 0))
    words.append(Word(".", ".", "O", verb, "punct"))
    last = ends[2] if len(ends) == 3 else ends[1]
    return Sentence(tuple(words), (ends[0], ends[1], last), mood)


def _nominal(phrase: list[tuple[str, str, str]], before: int) -> int:
    """Place of a phrase's head: the noun, or the first part of a name."""
    return before + (1 if phrase[0][1] == "NNP" else len(phrase))


class Speaker:
    """A system that makes mistakes at a rate; with rate 0 it is the gold."""

    def __init__(self, rate: float, rng: np.random.Generator) -> None:
        self.rate, self.rng = rate, rng

    def wrong(self) -> bool:
        """Whether this decision goes wrong."""
        return bool(self.rng.random() < self.rate)

    def text(self, s: Sentence) -> str:
        """Words, some of them replaced or left out."""
        said = []
        for word in s.words[:-1]:
            if not self.wrong():
                said.append(word.form)
            elif self.rng.random() < 0.7:
                said.append(str(self.rng.choice(NOUNS + VERBS)))
        line = " ".join(said) + "."
        return line[:1].upper() + line[1:]

    def tags(self, s: Sentence) -> str:
        """Entities in conlleval's columns: word, gold tag, predicted tag."""
        rows = []
        for word in s.words:
            said = str(self.rng.choice(["O", "B-PER", "B-LOC"])) if self.wrong() else word.entity
            rows.append(f"{word.form} {word.entity} {said}\n")
        return "".join(rows)

    def conllu(self, s: Sentence, name: str) -> str:
        """Tags, heads and relations."""
        rows = [f"# sent_id = {name}\n"]
        for k, w in enumerate(s.words, start=1):
            head = int(self.rng.integers(len(s.words) + 1)) if self.wrong() else w.head
            relation = str(self.rng.choice(RELATIONS)) if self.wrong() else w.relation
            upos = "NOUN" if self.wrong() else UPOS.get(w.tag, "PUNCT")
            rows.append(f"{k}\t{w.form}\t_\t{upos}\t_\t_\t{head}\t{relation}\t_\t_\n")
        return "".join(rows)

    def tree(self, s: Sentence) -> str:
        """Phrases, some of them labelled wrongly, attached to the object, or not found."""
        tagged = [f"({w.tag} {w.form})" for w in s.words]
        subject, objected, last = s.ends
        one = self._phrase("NP", tagged[:subject])
        two = self._phrase("NP", tagged[subject + 1 : objected])
        rest = ""
        if last > objected:
            inner = self._phrase("NP", tagged[objected + 1 : last])
            rest = self._phrase("PP", [tagged[objected], inner])
            if self.wrong():
                two, rest = f"(NP {two} {rest})", ""
        verbal = self._phrase("VP", [p for p in (tagged[subject], two, rest) if p])
        return f"(TOP (S {one} {verbal} {tagged[-1]}))\n"

    def _phrase(self, label: str, parts: list[str]) -> str:
        if self.wrong():
            label = "ADVP"
        inside = " ".join(parts)
        return inside if self.wrong() and len(parts) > 1 else f"({label} {inside})"

    def links(self, s: Sentence, possible: bool) -> str:
        """Alignment with the sentence in which each adjective follows its noun."""
        order = list(range(len(s.words)))
        for k, word in enumerate(s.words[:-1]):
            if word.tag == "JJ":
                order[k], order[k + 1] = k + 1, k
        said = []
        for k, word in enumerate(s.words):
            target = int(self.rng.integers(len(s.words))) if self.wrong() else order[k]
            said.append(f"{k}{'?' if possible and word.tag == 'DT' else '-'}{target}")
        return " ".join(said) + "\n"

    def answer(self, s: Sentence) -> str:
        """Where it happened: the phrase after ``in``, or nothing."""
        _, objected, last = s.ends
        start, end = objected + 1, last
        if self.wrong():
            start -= 2
        return " ".join(w.form for w in s.words[start : end - self.wrong()])

    def label(self, s: Sentence) -> str:
        """The sentence's mood."""
        return str(self.rng.choice(list(MOODS))) if self.wrong() else s.mood


def make() -> dict[str, str]:
    """Return the text of each bundled file."""
    source, gold_stream, *streams = np.random.default_rng(SEED).spawn(2 + len(SYSTEMS))
    drawn = [sentence(source) for _ in range(SENTENCES)]
    names = [f"d{k // PER_DOCUMENT:02d}s{k % PER_DOCUMENT}" for k in range(SENTENCES)]
    made = {"documents.txt": "".join(f"{name[:3]}\n" for name in names)}
    speakers = {"gold": Speaker(0.0, gold_stream)}
    speakers |= {n: Speaker(r, g) for (n, r), g in zip(SYSTEMS.items(), streams, strict=True)}
    for name, speaker in speakers.items():
        made[f"{name}.txt"] = _join(speaker.text, drawn, "\n")
        if name != "gold":
            made[f"{name}.conll"] = "\n".join(speaker.tags(s) for s in drawn)
        pairs = zip(drawn, names, strict=True)
        made[f"{name}.conllu"] = "\n".join(speaker.conllu(s, n) for s, n in pairs) + "\n"
        made[f"{name}.mrg"] = _join(speaker.tree, drawn)
        made[f"{name}.align"] = "".join(speaker.links(s, name == "gold") for s in drawn)
        made[f"{name}.labels"] = _join(speaker.label, drawn, "\n")
        asked = [(n, s) for n, s in zip(names, drawn, strict=True) if s.ends[2] > s.ends[1]]
        made[f"{name}.json"] = _json({n: speaker.answer(s) for n, s in asked}, name == "gold")
    return made


def _join(of: Callable[[Sentence], str], drawn: list[Sentence], end: str = "") -> str:
    return "".join(of(s) + end for s in drawn)


def _json(answers: dict[str, str], gold: bool) -> str:
    if not gold:
        return json.dumps(answers, indent=0) + "\n"
    documents: dict[str, list[dict[str, object]]] = {}
    for name, text in answers.items():
        question = {"id": name, "question": "Where?", "answers": [{"text": text}]}
        documents.setdefault(name[:3], []).append(question)
    data = [{"title": d, "paragraphs": [{"context": "", "qas": q}]} for d, q in documents.items()]
    return json.dumps({"version": "1.1", "data": data}, indent=0) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in make().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}: {text.count(chr(10))} lines")
