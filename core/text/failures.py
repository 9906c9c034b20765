"""Pages that say only that something could not be had: HTTP errors, refused and lost connections, checks for robots.

Law: pure, and errs on the side of keeping: a text is such a page only if each of its sentences says that and hardly
anything else. "The API answers HTTP 503 when the quota is exhausted" is a fact about it.
"""

import re
from collections.abc import Sequence

from core.text import transcript
from core.text.analysis import STOP_WORDS
from core.text.sentences import split

LONGEST = 2_000  # code points of such a page: what is longer says more
ELSE = 2  # words beside the failure's own that a sentence of one may have

STATUS = re.compile(
    r"""
    \bHTTP(?:/[\d.]+)?\s*(?:status|error|response)?(?:\s*code)?\s*[:=]?\s*[45]\d\d\b
    | \b(?:status|error|response)(?:\s*code)?\s*[:=]?\s*[45]\d\d\b | (?:状态码|错误码?|代码)\s*[:：=]?\s*[45]\d\d
    | \b[45]\d\d\s*[-:–|]?\s*(?=(?:bad|service|gateway|internal|forbidden|not\ found|too\ many|unauthori|access|error))
    | \bservice\ (?:temporarily\ |is\ )?(?:currently\ )?unavailable\b | \bbad\ gateway\b | \bgateway\ time-?out\b
    | \binternal\ server\ error\b | \btoo\ many\ requests\b | \baccess\ (?:is\ )?denied\b | \bpage\ not\ found\b
    | \bconnection\ (?:was\ )?(?:refused|reset|timed\ out|aborted|error)\b | \b(?:read|request)\ timed?\ ?out\b
    | \bname\ or\ service\ not\ known\b | \bECONN(?:REFUSED|RESET)\b | \bETIMEDOUT\b | \brate\ limit\ exceeded\b
    | \bare\ you\ (?:a\ )?(?:human|robot)\b | \bcaptcha\b
    | 服务(?:暂时|暂)?不可用 | 网关(?:超时|错误) | (?:内部)?服务器(?:内部)?错误 | 连接(?:超时|被拒绝|被重置|失败)
    | 请求(?:超时|过于频繁) | (?:访问|权限)被?拒绝 | (?:页面|网页)(?:不存在|未找到|无法访问|打不开)
    | 网站(?:打不开|无法访问)
    """,
    re.IGNORECASE | re.VERBOSE,
)
APOLOGY = re.compile(
    r"""
    \b(?:please\ )?(?:try|check\ back)\ (?:again|later)\b | \btemporarily\ unable\ to\ service\b
    | \bthe\ requested\ url\b | \b(?:nginx|apache|cloudflare)\b | \bmaintenance\ downtime\b | \bcapacity\ problems\b
    | \bverify\ (?:that\ )?you\ are\b | (?:请)?稍后(?:再试|重试|访问) | 抱歉
    """,
    re.IGNORECASE | re.VERBOSE,
)
MARKUP = re.compile(r"<(?:style|script)\b.*?</(?:style|script)>|<[^<>]*>", re.IGNORECASE | re.DOTALL)
ADDRESS = re.compile(r"\b[a-z]+://\S+|\b(?:GET|POST|PUT|HEAD)\s+\S+", re.IGNORECASE)
WORD = re.compile(r"[A-Za-z]{2,}|\d+|[\u3400-\u9fff]{2}")
OWN = frozenset(
    """
    http https status code error errors failed failure fetch fetched fetching request requested requests response
    returned returns got received get post page url site website server service temporarily unavailable bad gateway
    timeout timed forbidden found unauthorized access denied connection refused reset read try again later sorry
    could open opened load loaded reach reached tried
    获取 请求 返回 访问 页面 网页 网站 打开 失败 错误 无法 服务 服务器 不可 可用 超时 状态 代码 重试 稍后
    """.split()
)


def is_failure(text: str) -> bool:
    """Whether a text says only that something could not be had."""
    if len(text) > LONGEST:
        return False
    sentences = [s for s in split(MARKUP.sub("\n", text)) if WORD.search(s)]
    matches = [STATUS.search(sentence) is not None for sentence in sentences]
    return any(matches) and all(
        _has_little_else(sentence) if failing else APOLOGY.search(sentence) or _has_little_else(sentence, 0)
        for sentence, failing in zip(sentences, matches, strict=True)
    )


def failures(written: Sequence[str]) -> frozenset[int]:
    """Returns the numbers of those pieces of a record that are nothing but a notice of absence: a call and its
    result are one.

    Where they are all that a transcript found, every piece of it is one: its thoughts are about them.
    """
    if not any(map(STATUS.search, written)):
        return frozenset()
    found: set[int] = set()
    start = 0
    for number, tied in enumerate(transcript.bound(written)):
        if tied:
            continue
        step = "\n".join(written[start : number + 1])
        if is_failure(transcript.told(step) or ""):
            found |= set(range(start, number + 1))
        start = number + 1
    rest = "\n".join(text for number, text in enumerate(written) if number not in found)
    if found and not transcript.told(rest).strip():
        return frozenset(range(len(written)))
    return frozenset(found)


def _has_little_else(sentence: str, most: int = ELSE) -> bool:
    """Whether a sentence has hardly any words that are not a failure's own."""
    left = ADDRESS.sub(" ", APOLOGY.sub(" ", STATUS.sub(" ", sentence)))
    others = [w for w in map(str.casefold, WORD.findall(left)) if w not in OWN and w not in STOP_WORDS]
    return len(others) <= most
