"""Write the bundled demonstration data from a documented model.

Question answering (`qa.csv`): 480 questions in 160 documents of five domains, four systems, right
or wrong. Whether system ``s`` answers item ``i`` follows a logistic model with one latent trait,

    P(right) = 1 / (1 + exp(-(ability_s + skill_{s,domain} - difficulty_i))),
    difficulty_i = difficulty_domain + N(0, 0.8) per document + N(0, 1.1) per item,

and the uniform draw behind each answer is shared among systems to 60 % (a Gaussian copula), as real
systems fail on the same items.

Entities (`ner.csv`): 300 sentences, three taggers, counts of true positives, false positives and
false negatives. A sentence has 1 + Poisson(1.4) entities, 20 % have none; a tagger finds an entity
with a probability that depends on the entity's difficulty, and invents Poisson-many others.

Ratings (`ratings.csv`): 120 prompts, three assistants, four raters, scores 1 to 5: a latent quality
per prompt and assistant plus a rater's leniency plus noise, rounded.

Logs (`logs/base.jsonl`, `logs/new.jsonl`): samples of 240 sums of two numbers, as
lm-evaluation-harness writes them. A model carries correctly with a probability that falls with the
number of digits.

The same seed writes the same bytes; a test compares them with the files in the package.
"""

import csv
import hashlib
import io
import json
import math
from pathlib import Path

import numpy as np

BUNDLED = Path(__file__).parents[1] / "src" / "betterthan" / "bundled"
SEED = 2012


def question_answering(rng: np.random.Generator) -> list[list[object]]:
    """Rows of the wide table ``item, domain, document, <system> ...``."""
    domains = {"news": -0.9, "law": 0.1, "medicine": 0.3, "fiction": -0.4, "code": 0.0}
    abilities = {"base": 0.35, "atlas": 0.95, "birch": 0.55, "cedar": 0.3}
    skills = {("cedar", "code"): 1.2}  # the only specialist
    rows: list[list[object]] = [["item", "domain", "document", *abilities]]
    for document in range(160):
        domain = list(domains)[document % len(domains)]
        shared = domains[domain] + rng.normal(0, 0.8)
        for part in range(3):
            difficulty = shared + rng.normal(0, 1.1)
            luck = rng.normal()
            answers = []
            for system, ability in abilities.items():
                skill = skills.get((system, domain), 0.0)
                right = 1 / (1 + np.exp(-(ability + skill - difficulty)))
                draw = np.sqrt(0.6) * luck + np.sqrt(0.4) * rng.normal()
                answers.append(int(_normal_cdf(draw) < right))
            name = f"{domain[0]}{document:03d}-{part + 1}"
            rows.append([name, domain, f"doc{document:03d}", *answers])
    return rows


def entities(rng: np.random.Generator) -> list[list[object]]:
    """Rows of the long table ``item, system, tp, fp, fn``."""
    taggers = {"crf": (1.6, 0.16), "bilstm": (2.0, 0.15), "bert": (2.6, 0.11)}
    rows: list[list[object]] = [["item", "system", "tp", "fp", "fn"]]
    for sentence in range(300):
        count = 0 if rng.random() < 0.2 else 1 + rng.poisson(1.4)
        difficulty = rng.normal(0, 1.3, size=count)
        for tagger, (ability, invents) in taggers.items():
            found = int((rng.random(count) < 1 / (1 + np.exp(difficulty - ability))).sum())
            rows.append(
                [f"s{sentence:03d}", tagger, found, int(rng.poisson(invents)), count - found]
            )
    return rows


def ratings(rng: np.random.Generator) -> list[list[object]]:
    """Rows of the long table ``item, system, rater, score``."""
    assistants = {"v1": 3.1, "v2": 3.3, "v3": 3.25}
    leniency = {"ann": 0.3, "bo": -0.2, "cy": 0.0, "di": -0.1}
    rows: list[list[object]] = [["item", "system", "rater", "score"]]
    for prompt in range(120):
        ease = rng.normal(0, 0.6)
        for assistant, level in assistants.items():
            quality = level + ease + rng.normal(0, 0.5)
            for rater, bias in leniency.items():
                score = round(float(np.clip(quality + bias + rng.normal(0, 0.6), 1, 5)))
                rows.append([f"p{prompt:03d}", assistant, rater, score])
    return rows


def samples(rng: np.random.Generator) -> dict[str, str]:
    """Lines of the two logs, by name."""
    digits = rng.integers(2, 7, size=240)
    terms = [[int(x) for x in rng.integers(10 ** (d - 1), 10**d, size=2)] for d in digits]
    logs = {}
    for model, slip in {"base": 0.09, "new": 0.05}.items():
        lines = []
        for k, (a, b) in enumerate(terms):
            right = rng.random() < (1 - slip) ** digits[k]
            answer = a + b if right else a + b + 10 ** int(rng.integers(1, digits[k]))
            question = f"{a} + {b} ="
            record = {
                "doc_id": k,
                "doc": {"question": question, "answer": str(a + b)},
                "target": str(a + b),
                "filtered_resps": [str(answer)],
                "filter": "strict-match",
                "metrics": ["exact_match"],
                "doc_hash": hashlib.sha256(question.encode()).hexdigest()[:16],
                "exact_match": float(right),
            }
            lines.append(json.dumps(record) + "\n")
        logs[f"logs/{model}.jsonl"] = "".join(lines)
    return logs


def make() -> dict[str, str]:
    """Return the text of each bundled file."""
    *streams, last = np.random.default_rng(SEED).spawn(4)
    tables = {"qa.csv": question_answering, "ner.csv": entities, "ratings.csv": ratings}
    made = {
        name: _text(build(rng)) for (name, build), rng in zip(tables.items(), streams, strict=True)
    }
    return made | samples(last)


def _text(rows: list[list[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _normal_cdf(x: float) -> float:
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


if __name__ == "__main__":
    BUNDLED.mkdir(exist_ok=True)
    for name, text in make().items():
        (BUNDLED / name).parent.mkdir(exist_ok=True)
        (BUNDLED / name).write_text(text, encoding="utf-8")
        print(f"wrote {name}: {text.count(chr(10)) - 1} rows")
