"""Words too common to be keywords, though some carry meaning in a sentence.

Law: words only. Wider than search's stop words: nobody names a topic "really" or "went".
"""

from core.text.analysis import STOP_WORDS
from core.text.words import words

CODE = words(
    "https http www com br def str int self return await async none true false null const var dr mr mrs ms prof"
)
COMMON_EN = (
    STOP_WORDS
    | CODE
    | words(
        """
    able across actually add added adding ago ahead alone along already although always amazed amazing among
    amount another anybody anyone anything anyway anywhere apart appreciate around aside ask asked asking
    away awesome aww back bad based basically became become becomes begin begins behind believe best better
    big bit bring brings brought btw called came can't case cause certain certainly change changed changes
    cheers choose chosen clear clearly come comes coming common completely congrats congratulations consider
    contain containing contains cool could couldn't currently days deal decide decided definitely despite
    different difficult directly doesn't don't done due e.g each early easily easy either else end ended
    enough especially etc even ever every everybody everyone everything everywhere exactly example except
    expect far fast feel feeling feels felt few finally find finds fine first five follow following follows
    former forward found four full fully fun gave general generally get gets getting give given gives giving
    glad go goal goals goes going gone gonna good got gotcha gotta gotten great guess guy guys had haha half
    happen happened happens happy hard hardly hear heard held hello help helped helping helps hence hey hi
    high hmm hold holds hope hopefully hour hours however huge i'd i'll i'm i've i.e idea imagine important
    include included includes including incredible indeed inside instead involve involves isn't it's join
    joined keep keeps kept kind kinda knew know known knows large last late lately later latest latter least
    leave leaves led left less let let's lets lie lies like liked likely likes little lol long longer look
    looked looking looks lot lots love loved lovely low made mainly make makes making many matter matters
    may maybe mean means meant meet met might mind minute minutes miss moment month months mostly move moved
    moving much must near nearly necessary need needed needs neither never new next nice nobody none nope
    normally nothing notice now nowhere number numbers obviously off offer offers often oh ok okay old one
    ones onto open opened original others otherwise outside overall part particular particularly parts past
    pay people per perhaps person pick place places plan planned planning plans please plus point points
    possible possibly pretty previous previously probably problem process provide provided provides put puts
    quickly quite rather read ready real really reason recent recently regarding remains remember require
    required requires result results right run running runs said same saw say saying says second see seem
    seemed seems seen self send sent several shall she'd short should show showed shown shows side similar
    simple simply since single six small so-called somebody somehow someone something sometimes somewhat
    somewhere soon sorry sort sound sounds spend spent stands start started starting starts stay still stood
    stop stuff such suddenly super suppose sure take taken takes taking talk talked talking tell telling
    tells ten tend thank thanks that's them there's therefore they'd they're thing things think thinking
    third though thought three thus thx till time times today together told tomorrow tonight too took total
    totally toward towards tried tries true truly try trying turn turned turns two type types typically ugh
    unfortunately unless unlike unlikely upon us use used uses using usual usually various via view want
    wanted wants watch way ways we'd we'll we're we've week weeks welcome well went weren't what's whatever
    whatsoever whenever whereas wherever whether whichever whole whose wide willing wish within without
    won't wonder wonderful word work worked working works worse worst worth would wouldn't wow write written
    wrong wrote yay yeah year years yep yes yesterday yet you'd you'll you're you've yup
    """
    )
)
COMMON_ZH = words(
    """
    问题 情况 方面 时候 时间 东西 事情 方式 方法 内容 部分 结果 过程 作用 关系 原因 目的 目标 意思 样子 地方
    今天 明天 昨天 现在 今年 去年 可能 可以 需要 进行 使用 通过 包括 包含 提供 实现 表示 认为 觉得 知道 看到
    发现 希望 开始 成为 得到 具有 存在 属于 作为 采用 利用 用于 对应 相关 有关 其他 其它 各种 多种 一些 一般
    主要 重要 基本 具体 不同 相同 所有 全部 每个 这个 那个 这些 那些 什么 怎么 如何 为什么 大家 自己 我们
    你们 他们 人们 别人 没有 就是 还是 不是 而是 只是 但是 因为 所以 如果 虽然 然后 之后 之前 以后 以前 以及
    或者 并且 而且 真的 非常 比较 特别 应该 能够 必须 已经 正在 曾经 一直 总是 经常 有时 谢谢 你好 再见 好的
    是的 对了 哈哈 感觉 说 想 做 看 去 来 到 给 让 是 有 在 为 要 会 能 把 被 用 一个 一种 一次 首先 其次
    最后 例如 比如 等等 根据 按照 由于 关于 对于 处理 示例 说明 判断 执行 输入 输出 人 个 年 月 日 天 时 次
    种 类 点 上 下 中 里 前 后 内 外 者 性 化 度 力 率 量 所在 指出 宣布 获得 发布 取得 达到 超过 提高 增加
    减少 介绍 了解 讨论 显示 太好了 没关系 不好意思 对不起 不客气 继续 决定 准备 完成 喜欢 工作 生活 公司
    """
)
