"""Roles that names do not tell: found by the values of the columns, or asked about."""

from dataclasses import replace
from typing import TYPE_CHECKING

from betterthan.data.frames import cells, evidence
from betterthan.data.frames.no_scores import WINNERS, battles, refuse_answers, refuse_battles
from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.frames.roles import Roles, labels_remedy, named_columns, plain, suggested
from betterthan.data.frames.summing import refuse_sums
from betterthan.errors import FormatError, Remedy, UsageError, first_few
from betterthan.metrics.named import LAYOUTS

if TYPE_CHECKING:
    import polars as pl


def found_by_values(frame: "pl.DataFrame", roles: Roles, options: Options, where: str) -> Roles:
    """Find the item where no name tells it, and doubt that an answer tells repeats apart."""
    roles = replace(roles, response=None) if _is_answer(frame, roles, options) else roles
    roles = roles if roles.item else _with_item(frame, roles, options, where)
    refuse_sums(frame, roles, where)
    return roles


def _with_item(frame: "pl.DataFrame", roles: Roles, options: Options, where: str) -> Roles:
    """Find the item among columns whose values tell rows apart."""
    taken = {
        *roles.keys,
        roles.cluster,
        *named_columns(frame.columns, options, where, "score", "label", "tasks"),
        *_named(frame, options, where)[0],
    }
    free = [name for name in frame.columns if name not in taken]
    keys = [name for name in roles.keys if frame[name].null_count() == 0]
    item = next(
        (
            name
            for role in ("weak item", "unnamed")
            for name in free
            if role in suggested(name) and _names_items(frame, name, keys, roles)
        ),
        None,
    )
    if item is None:
        item = _counting(frame, free, keys, roles)
    return roles if item is None else replace(roles, item=(item,))


def without_numbers(
    frame: "pl.DataFrame", scores: "dict[str, pl.Series]", options: Options, where: str
) -> list[str]:
    """Empty columns that are to be set aside: notes, errors that never happened.

    Not those that the user named, parts of a metric, or what is named like the score where nothing
    else is: another column would be compared in its place.
    """
    empty = [n for n, x in scores.items() if x.fill_nan(None).null_count() == len(x)]
    named = {
        *_named(frame, options, where)[0],
        *named_columns(frame.columns, options, where, "score"),
        *(name for name in empty for asked in options.metrics if name in str(asked)),
    }
    filled = [name for name in scores if name not in empty]
    scored = any("score" in suggested(name) for name in filled)
    parts = {
        part
        for layouts in LAYOUTS.values()
        for layout in layouts
        if not {*filled}.isdisjoint(layout.columns)
        for part in layout.columns
    }
    free = [
        name
        for name in empty
        if name not in named
        and name not in parts
        and (scored or "score" not in suggested(name) or plain(name) == "error")
    ]
    return free if filled else []


def only_scores(
    frame: "pl.DataFrame",
    scores: "dict[str, pl.Series]",
    labels: list[str],
    roles: Roles,
    options: Options,
    *,
    where: str,
    many: bool,
) -> "dict[str, pl.Series]":
    """Leave out columns of numbers that are ids, and ask about those that may be no scores."""
    named, settled = _named(frame, options, where)
    if options.systems and roles.system is None and not many:
        return scores
    kept = _without_ids(scores, named, where)
    if roles.system is None:
        won = not settled and all(plain(name) in WINNERS for name in kept)
        if won and (said := battles(frame.columns, where)):
            raise said
        refuse_battles(frame, [*kept], labels, where)
    refuse_answers(kept, roles, options, where=where, wide=not (many or settled))
    unsure = not roles.item or (options.item is None and plain(roles.item[0]) == "name")
    if unsure and kept and options.input_format is None:
        evidence.refuse_averages(frame, kept, roles.system, [*labels, *roles.item], where)
    known = [name for name in kept if "score" in suggested(name)]
    # A column per system, but which columns are systems is another question.
    columns = not known or settled or options.input_format == "wide"
    if roles.system is None and not many and columns and options.input_format != "single":
        if kept and not settled:
            told = names_given(options.label, frame.columns) if options.label else ()
            evidence.refuse_dressed([frame[n] for n in labels if n not in told], where)
        aside = evidence.refuse_doubtful(kept, named, settled, where)
        return {name: column for name, column in kept.items() if name not in aside}
    if len(kept) == 1 and not options.metrics and "property" in suggested(only := next(iter(kept))):
        raise FormatError(
            f"{where}: {only!r} is the only column of numbers, and is named like what describes "
            "the items",
            Remedy("it is the score", "columns", {"score": only}),
        )
    if len(known) == 1 and not options.metrics:  # else they may be parts of a metric
        described = _properties(frame, [name for name in kept if name not in known], roles)
        labels += described
        return {name: column for name, column in kept.items() if name not in described}
    return kept


def _properties(frame: "pl.DataFrame", names: list[str], roles: Roles) -> list[str]:
    """Columns of a long table that by their names describe items, and are the same for all systems.

    No comparison could tell systems apart by them; but by what is counted in each of so many words.
    """
    import polars as pl  # noqa: PLC0415 (heavy)

    likely = [n for n in names if "property" in suggested(n) and not evidence.is_size(n)]
    if not likely or not roles.item or roles.system is None:
        return []
    values = frame.group_by(roles.item).agg(pl.col(likely).n_unique())
    repeated = len(values) < len(frame)
    return [name for name in likely if repeated and values[name].max() == 1]


def _without_ids(
    scores: "dict[str, pl.Series]", named: tuple[str, ...], where: str
) -> "dict[str, pl.Series]":
    """Leave out the columns that number the rows; few rows are no evidence, and asked about."""
    free = [name for name in scores if name not in named and "score" not in suggested(name)]
    ids = {name for name in free if "unnamed" in suggested(name)}
    looks = {name: evidence.like_ids(scores[name]) for name in free if name not in ids}
    counting = [name for name, look in looks.items() if look == "counting"]
    rising = [name for name, look in looks.items() if look == "rising"]
    aside = {*ids, *counting}
    kept = {name: column for name, column in scores.items() if name not in aside}
    if rising and len(kept) > len(rising):
        _ask_about_ids(rising, [n for n in scores if n not in ids], where)
    if not counting:
        return kept
    few = len(scores[counting[0]]) < evidence.ENOUGH
    weak = all("weak item" in suggested(name) for name in counting)
    if few and not kept and not weak:
        return {name: scores[name] for name in counting}  # all systems alike
    if kept and (weak or not few):
        return kept
    _ask_about_ids(counting, [n for n in scores if n not in ids], where)
    return kept


def _ask_about_ids(names: list[str], every: list[str], where: str) -> None:
    others = "" if len(every) > len(names) else ", and no other column holds scores"
    raise FormatError(
        f"{where}: {first_few(names)} {'count' if len(names) > 1 else 'counts'} up as ids do"
        f"{others}",
        labels_remedy(names),
        Remedy("all are scores of systems", "systems", list(every)),
    )


def _named(frame: "pl.DataFrame", options: Options, where: str) -> tuple[tuple[str, ...], bool]:
    """Columns that the user named as systems, and whether no others are meant."""
    try:
        named = named_columns(frame.columns, options, where, "systems")
    except UsageError:  # of a long table, they are no columns
        named = ()
    wanted = []
    for asked in (options.baseline, options.opponents):
        if asked is not None:
            wanted += names_given(asked, frame.columns)
    hinted = tuple(name for name in dict.fromkeys(wanted) if name in frame.columns)
    return (*named, *hinted), bool(named) or len(hinted) > 1


def _names_items(frame: "pl.DataFrame", name: str, keys: list[str], roles: Roles) -> bool:
    if plain(name) == "name" and roles.system is None and not cells.are_labels(frame[name]):
        return False
    return evidence.key_of_cells(frame, name, keys)


def _counting(frame: "pl.DataFrame", free: list[str], keys: list[str], roles: Roles) -> str | None:
    """Find a column of numbers that count the items, beside others that do not."""
    import polars as pl  # noqa: PLC0415 (heavy)

    rows = frame
    if roles.system is not None:
        rows = frame.filter(frame[roles.system].eq_missing(frame[roles.system][0]))
    numbers = {
        name: rows[name].cast(pl.Float64, strict=False)
        for name in free
        if rows[name].dtype.is_numeric() or rows[name].dtype == pl.String
    }
    numbers = {name: column for name, column in numbers.items() if not column.null_count()}
    counting = [
        name
        for name, column in numbers.items()
        if "score" not in suggested(name)
        and (look := evidence.like_ids(column))
        and (look == "counting" or _apart(name, numbers))
        and evidence.key_of_cells(frame, name, keys)
    ]
    if roles.system is not None:  # numbers of all rows are no items
        counting = [name for name in counting if frame[name].n_unique() < len(frame)]
    others = [name for name in numbers if name not in counting]
    return counting[0] if counting and others else None


def _apart(name: str, numbers: "dict[str, pl.Series]") -> bool:
    """Whether no other column has numbers of this kind."""
    return [name] in evidence.kinds_of_numbers(numbers)


def _is_answer(frame: "pl.DataFrame", roles: Roles, options: Options) -> bool:
    """Whether a column ``response`` holds answers, not the names of repeats.

    Repeats have the same few names in every cell.
    """
    name = roles.response
    if name is None or options.response or plain(name) != "response":
        return False
    if not cells.are_labels(frame[name]):
        return False
    cell = [*roles.item, *filter(None, (roles.system, roles.metric))]
    if not cell:
        return True
    sizes = frame.group_by(cell).len()["len"]
    return not (sizes.min() == sizes.max() == frame[name].n_unique() and len(frame) > len(sizes))
