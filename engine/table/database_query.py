"""Check of statements sent to a server: whatever databases may interpret differently is refused."""

from __future__ import annotations

import re

from engine.errors import TableError
from engine.words import N_, _

_ONE = N_("Write a single SELECT, or WITH … SELECT.")
_VIEW = N_("Let a view of the database do that, and read the view.")
# The two quotation forms that end at the same place in every database, if there is no backslash and nothing
# of `_DIALECTS` before them; and names in the marks of some databases, which cannot hold a statement.
_QUOTED = re.compile(r"""'[^']*'|"[^"]*"|`[\w ]*`|\[[\w ]*\]""")
_MARK = "\0"  # replaces quoted parts; a statement itself has no NUL character
_DIALECTS = (
    (r"--|/\*|#", N_("the query contains a comment, or what some databases read as one"), N_("Remove it.")),
    (r"\$", N_("the query contains the sign $, which quotes in some databases"), _VIEW),
    (r"`|\[", N_("the query contains a quotation mark that not every database knows"), _VIEW),
    (rf"[qQ]{_MARK}", N_("the query contains a quotation that not every database knows"), _VIEW),
    (r"['\"]", N_("the query contains a quotation that does not end"), N_("Close it.")),
    (
        r"(?<!\w)\d[\d.]*[^\W\d]",
        N_("the query contains a number directly followed by a word"),
        N_("Put a space between them."),
    ),
)
_CHANGING = re.compile(
    r"\b(insert|update|delete|merge|into|drop|alter|create|truncate|grant|revoke|deny|call|exec|execute|copy|lock"
    r"|shutdown|backup|restore|kill|dbcc|outfile|dumpfile|set|commit|rollback|begin|do|declare|vacuum|attach"
    r"|pragma|install|load|waitfor|reconfigure|checkpoint|bulk|openrowset|openquery|opendatasource|writetext"
    r"|updatetext|disable|enable|revert|receive|send|add|nextval|next\s+value|use)\b",
    re.IGNORECASE,
)
_CTE = re.compile(rf"[\w{_MARK}]+\s*\([\w\s,{_MARK}]*\)(?=\s*as\s*\(\s*(select|with)\b)", re.IGNORECASE)
_CALLED = re.compile(rf"([\w.{_MARK}]+)\s*\(")
_WORDS = """
    select from where and or not in exists any all some as on join using by having when then else case
    between like over filter group within partition distinct union intersect except minus values limit
    offset top with materialized lateral is end order row rows sets rollup cube recursive
"""  # words before a parenthesis that are not functions
_TYPES = """
    decimal numeric number varchar varchar2 nvarchar nvarchar2 char nchar character varying text float
    double time timestamp datetime2 datetimeoffset binary varbinary interval
"""  # types that take a size
_FUNCTIONS = """
    abs avg cast ceil ceiling char_length character_length coalesce concat concat_ws convert corr count
    cume_dist date date_add date_format date_part date_sub date_trunc dateadd datediff datename datepart
    day decode dense_rank exp extract first_value floor greatest grouping hour if ifnull iif initcap
    instr isnull json_value lag last_value lead least left len length listagg ln log log10 lower lpad
    ltrim max median min minute mod month months_between nth_value ntile nullif nvl nvl2 octet_length
    percent_rank percentile_cont percentile_disc position pow power quarter rank regexp_replace
    regexp_substr replace reverse right round row_number rpad rtrim second sign split_part sqrt stddev
    stddev_pop stddev_samp strftime string_agg strpos substr substring sum timestampdiff to_char to_date
    to_number to_timestamp translate trim trunc try_cast try_convert typeof unicode upper var_pop
    var_samp variance week year
"""  # functions that only compute
_HARMLESS = frozenset(f"{_WORDS} {_TYPES} {_FUNCTIONS}".split())


def checked_query(query: str, name: str) -> str:
    """Return a statement that only selects, without its closing semicolon.

    The database is not known here, so the check is strict: what one database reads as a text or a comment may
    be a statement for another, and a function may do anything.

    Parameters
    ----------
    query : str
    name : str
        Name of the database in messages.

    Raises
    ------
    TableError
        The query is empty, consists of several statements, contains a word that changes data or a function
        not known to only compute, or cannot be checked.
    """
    statement = query.strip().rstrip(";").rstrip()
    if ";" in statement:
        raise _refused(name, _("the query contains several statements, or the sign ;"), _(_ONE))
    if any(ord(sign) < 32 and sign not in "\t\r\n" for sign in statement):
        raise _refused(name, _("the query contains a control character"), _("Remove it."))
    if "\\" in statement:
        raise _refused(name, _("the query contains a backslash, which databases read differently"), _(_VIEW))
    bare = _QUOTED.sub(_MARK, statement)
    if odd := re.search(r"[^\x00-\x7f\w]", bare):  # such as an invisible one between a name and its bracket
        problem = _("the query contains the character {code}, which databases read differently")
        code = f"U+{ord(odd[0]):04X}"
        raise _refused(name, problem.format(code=code), _("Remove it, or write the name in quotation marks."))
    for pattern, problem, hint in _DIALECTS:
        if re.search(pattern, bare):
            raise _refused(name, _(problem), _(hint))
    if not re.match(r"\(*\s*(select|with)\b", bare, re.IGNORECASE):
        raise _refused(name, _("the query is not a SELECT"), _(_ONE))
    if found := _CHANGING.search(bare):
        problem = _("the query does more than read, by the word {word}").format(word=found[0].upper())
        hint = _("A column with this name needs quotation marks.")
        raise _refused(name, problem, f"{_(_ONE)} {hint}")
    for called in _CALLED.finditer(re.sub(r"\s*\.\s*", ".", _CTE.sub(" ", bare))):
        if called[1].lower() not in _HARMLESS:
            problem = (
                _("a function in quotation marks is not known to only read")
                if _MARK in called[1]
                else _("the function {function} is not known to only read").format(function=called[1])
            )
            raise _refused(name, problem, _(_VIEW))
    return statement


def _refused(name: str, problem: str, hint: str) -> TableError:
    return TableError(_("'{name}': {problem}.").format(name=name, problem=problem), hint=hint, file=name)
