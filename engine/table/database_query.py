"""Judges the statement sent to a server: whatever two databases could read differently is refused."""

from __future__ import annotations

import re

from engine.errors import TableError
from engine.words import N_, _

_ONE = "Write a single SELECT, or WITH … SELECT."
_VIEW = N_("Let a view of the database do that, and read the view.")
# The two quotations that every database ends at the same place, as long as there is no backslash and nothing
# of `_DIALECTS` before them; and names in the marks of some, which hold nothing that could be a statement.
_QUOTED = re.compile(r"""'[^']*'|"[^"]*"|`[\w ]*`|\[[\w ]*\]""")
_MARK = "\0"  # stands for what was quoted; a statement has none of its own
_DIALECTS = (
    (r"--|/\*|#", N_("a comment, or what is one in some databases"), N_("Leave it out.")),
    (r"\$", N_("the sign $, which quotes in some databases"), _VIEW),
    (r"`|\[", N_("a mark of quotation that not every database knows"), _VIEW),
    (rf"[qQ]{_MARK}", N_("a quotation that not every database knows"), _VIEW),
    (r"['\"]", N_("a quotation that does not end"), N_("End it.")),
    (r"(?<!\w)\d[\d.]*[^\W\d]", N_("a number with a word right behind it"), N_("Put a blank between them.")),
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
"""  # that stand before a parenthesis and are no functions
_TYPES = """
    decimal numeric number varchar varchar2 nvarchar nvarchar2 char nchar character varying text float
    double time timestamp datetime2 datetimeoffset binary varbinary interval
"""  # with a size
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
"""  # that only compute
_HARMLESS = frozenset(f"{_WORDS} {_TYPES} {_FUNCTIONS}".split())


def checked_query(query: str, name: str) -> str:
    """Return a statement that only selects, without what ends it.

    It is judged without knowing what the database is, and so strictly: what one database takes for a text
    or a comment may be a statement for another, and a function may do anything.

    Parameters
    ----------
    query : str
    name : str
        What messages call the database.

    Raises
    ------
    TableError
        There is none, there are several, it holds a word of those that change something or a function that
        is not known to compute only, or cannot be judged.
    """
    statement = query.strip().rstrip(";").rstrip()
    if ";" in statement:
        raise _refused(name, _("there are several statements, or the sign ;"), _ONE)
    if any(ord(sign) < 32 and sign not in "\t\r\n" for sign in statement):
        raise _refused(name, _("the query holds a control character"), _("Leave it out."))
    if "\\" in statement:
        raise _refused(name, _("the query holds a backslash, which databases read differently"), _(_VIEW))
    bare = _QUOTED.sub(_MARK, statement)
    for pattern, what, hint in _DIALECTS:
        if re.search(pattern, bare):
            raise _refused(name, _("the query holds {what}").format(what=what), hint)
    if not re.match(r"\(*\s*(select|with)\b", bare, re.IGNORECASE):
        raise _refused(name, _("the query does not select"), _ONE)
    if found := _CHANGING.search(bare):
        problem = _("the statement does more than read, by the word {found}").format(found=found[0].upper())
        raise _refused(
            name, problem, _("{ONE} A column that is called so needs quotation marks.").format(ONE=_ONE)
        )
    for called in _CALLED.finditer(re.sub(r"\s*\.\s*", ".", _CTE.sub(" ", bare))):
        if called[1].lower() not in _HARMLESS:
            what = (
                _("a function in quotation marks")
                if _MARK in called[1]
                else _("the function {called}").format(called=called[1])
            )
            raise _refused(name, _("{what} is not known to read only").format(what=what), _(_VIEW))
    return statement


def _refused(name: str, problem: str, hint: str) -> TableError:
    return TableError(f"'{name}': {problem}.", hint=hint, file=name)
