"""The stemmer against NLTK's, which rouge-score uses."""

from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from betterthan.tasks import porter

ORACLE = PorterStemmer()
SUFFIXES = [
    rule.partition(">")[0]
    for rules in (porter.STEP_2, porter.STEP_3, porter.STEP_4)
    for rule in rules.split()
]
ENDINGS = [
    *SUFFIXES,
    "s",
    "ies",
    "sses",
    "ss",
    "ed",
    "ied",
    "eed",
    "ing",
    "y",
    "e",
    "ll",
    "logi",
    "",
]
# Examples of Porter (1980), and words at which implementations part.
WORDS = """
    caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled
    sized hopping tanned falling hissing fizzed failing filing happy sky relational conditional
    rational valency hesitancy digitizer conformably radically differently vilely analogously
    vietnamization predication operator feudalism decisiveness hopefulness callousness formality
    sensitivity sensibility triplicate formative formalize electricity electrical hopeful goodness
    revival allowance inference airliner gyroscopic adjustable defensible irritant replacement
    adjustment dependent adoption homologou communism activate angularity homologous effective
    bowdlerize probate rate cease controll roll dying lying news innings enjoy spy flies died
    geology theology philology usefully yearly yyyy by y an
""".split()

words = st.builds(
    lambda stem, endings: stem + "".join(endings),
    st.text("aeioubcdlstyz1", min_size=1, max_size=5),
    st.lists(st.sampled_from(ENDINGS), max_size=2),
)


def test_published_examples() -> None:
    assert {word: porter.stem(word) for word in WORDS} == {w: ORACLE.stem(w) for w in WORDS}


@given(words)
def test_made_up_words(word: str) -> None:
    assert porter.stem(word) == ORACLE.stem(word)
