"""The small vocabulary by which contradictions are told, English and Chinese.

Law: words only, no logic. English entries are written as plain words and compared by their
stems; Chinese entries are the words a segmenter gives. Whatever depends on a domain does not
belong here.
"""

from core.text.words import words

# ---- words that carry no content ----

FUNCTION_EN = words(
    "a an the this that these those there here it its it's itself he him his himself she her hers herself they them"
    " their theirs themselves we us our ours you your yours i me my mine myself who whom whose which what where when"
    " why how is are was were be been being am has have had having do does did doing done will would shall should can"
    " could may might must of in on at by for from to with without into onto over under about above below between among during"
    " through across after before since until against within along around as than and or but nor so yet if then"
    " else while whereas although though because also too very quite just even still already ever once both either"
    " each every all any some such own same other others another more most much many several few various numerous"
    " not no never neither none nobody nothing n't up down out off again further only exclusively solely instead"
    " rather together currently now today often frequently usually regularly sometimes always mainly primarily"
    " mostly especially particularly  well one well-known however outside one's s t d ll re ve etc"
)
FUNCTION_ZH = words(
    "的 了 着 过 地 得 之 其 是 为 于 在 从 自 由 被 把 将 对 向 与 和 及 以及 跟 同 或 或者 并 并且 而 而且 但 但是 却 又 也 都 还 就 才"
    " 则 所 以 因 因为 所以 如果 虽然 然而 不过 只 仅 仅仅 一起 共同 一同 已 已经 曾 曾经 正 正在 目前 现在 如今 经常 常常 常 通常 总是"
    " 主要 很 非常 十分 最 更 较 比较 这 那 该 此 这个 那个 这款 那款 他 她 它 他们 她们 它们 我 我们 你 你们 自己 一个 一位 一名 一家 一档 一本"
    " 一只 一种 一项 一部 一座 一次 一 个 位 名 家 档 本 只 种 项 部 座 次 款 呢 吗 吧 啊 不 没 没有 未 无 非 并非 不是 从未 从不 不再 别 勿 有 能 可以 可"
    " 会 要 上 下 中 里 内 外 时 等 各 每 某 来 去 到 给 让 使 用 根据 通过 按照 关于 有关 一直 之一 左右 大约 约 至少 超过 不到 多 余 起 间 后 前"
)

# ---- polarity ----

NEGATORS_EN = words(
    "not never no neither nor none cannot without nobody nothing hardly unable failed refused refuses declined"
    " avoiding avoids avoided stopped"
)
NEGATORS_ZH = words(
    "不 没 没有 未 未曾 无 无法 非 并非 并未 并不 不是 从未 从不 从来不 从没 从来没有 不再 不会 不能 不曾 绝不 绝非 毫无 不用 不需 不必 不可 不得"
)
HEDGES_EN = words("may might could possibly perhaps maybe probably likely would seems appears")
HEDGES_ZH = words("可能 也许 或许 大概 似乎 好像 恐怕 估计 预计 应该")
EXCLUSIVE_EN = words("only exclusively solely sole")
EXCLUSIVE_ZH = words("只 仅 仅仅 唯一 唯独 只有 只会")

# ---- words that say the same ----
# One group a line; the first stands for all.

SYNONYMS_EN = """
found establish cofound launch set-up
ceo chief-executive
live reside dwell inhabit
base headquarter locate situate
speak fluent fluently
enjoy like love adore fond passionate
buy purchase acquire
movie film
bear born birth birthplace
die dead death decease
marry wife husband spouse wed
write author wrote written writer pen cowrite coauthor
job occupation profession
begin commence start
finish complete conclude
big large huge
car automobile vehicle
doctor physician
teach instruct
photo photograph picture
award prize honor medal
town city
near close
cost price
graduate degree
build construct
need require
use employ
leave quit
meet met
win won
grow grew grown
hold held
give gave given
run ran
lead led
advocate support
participate attend join alumnus alumni
speak spoke spoken
teach taught
buy bought
make made
sell sold
study studied
wage salary
allow permit
accept approve
event session
collaborate cooperate
specialize expertise specialty
"""
# Several words that are one.
PHRASES_EN = {
    "chief executive officer": "ceo", "chief executive": "ceo", "set up": "establish", "passed away": "died",
    "grew up": "raised", "hard cover": "hardcover", "home town": "hometown", "place of birth": "birthplace",
    "in charge of": "leads", "head office": "headquarters", "brought out": "released", "got married": "married",
    "took part": "participated", "takes part": "participates",
}  # fmt: skip
# A number behind these names a thing and counts nothing.
LABELLED_EN = words(
    "phase step stage chapter episode part section level room group team season volume task issue item node option"
    " figure table type class unit gate line platform flight article appendix round batch lot apartment building"
)

SYNONYMS_ZH = """
成立 创立 创办 创建 建立 创始 创始人 建于 始建 创办人 设立
首席执行官 ceo 行政总裁
位于 坐落 坐落于 地处 设在
担任 任 出任 就任
喜欢 喜爱 爱好 热爱 爱 酷爱
出生 生于 诞生 出生于
居住 住 住在 定居 居于
毕业 毕业于
价格 售价 定价 价钱
购买 买 收购 购入
妻子 丈夫 配偶 结婚 娶 嫁
去世 逝世 死亡 病逝
写 撰写 著 创作 作者 编写 所著
主持 主办
使用 采用 用
需要 需 要求
开始 启动
结束 完成 完结
支持 兼容
养 饲养
医生 大夫
总部 本部
工资 薪水 薪资 月薪
允许 准许 可以
发布 推出 上市
举行 召开 举办
获得 获 荣获 得到
工作 就职 任职
教授 教
精通 会说 流利 说
周一 星期一
周二 星期二
周三 星期三
周四 星期四
周五 星期五
周六 星期六
周日 星期日 星期天
公司 企业
"""

# Saying these denies the second.
DENYING_EN = {"dislike": "enjoy", "dislikes": "enjoy", "disliked": "enjoy", "hate": "enjoy", "hates": "enjoy",
              "detests": "enjoy", "oppose": "support", "opposes": "support", "opposed": "support",
              "opponent": "support", "lacks": "have", "lack": "have", "rejects": "accept", "rejected": "accept"}  # fmt: skip
DENYING_ZH = {
    "讨厌": "喜欢",
    "厌恶": "喜欢",
    "反感": "喜欢",
    "反对": "支持",
    "拒绝": "接受",
    "缺乏": "有",
    "缺少": "有",
}

# Kinds and some of what falls under them: who denies the kind denies these. The kind comes first.
KINDS_EN = """
outdoor hiking camping climbing cycling trail mountain park birdwatching fishing kayaking rafting surfing gardening backpacking garden skiing nature
indoor chess painting reading knitting baking
language english spanish french german chinese japanese italian portuguese russian arabic mandarin korean hindi
sport football soccer basketball tennis swimming running marathon cycling volleyball baseball golf rugby hockey triathlon
instrument piano violin guitar cello flute drum trumpet saxophone harp clarinet
music piano violin guitar cello jazz orchestra choir concert singer song symphony conductor composer
art painting sculpture photography drawing pottery illustration
university college degree master bachelor phd graduate doctorate
award prize medal trophy honor recognition
recognition award prize medal honor
animal dog cat bird horse rabbit fish
pet dog cat bird hamster rabbit
child son daughter
sibling brother sister
event workshop clinic conference concert festival fundraiser session seminar run marathon
training workshop clinic session
meat beef pork chicken steak lamb
"""
KINDS_ZH = """
户外 徒步 登山 爬山 露营 骑行 远足 钓鱼 滑雪 公园
运动 足球 篮球 网球 游泳 跑步 马拉松 羽毛球 乒乓球 骑行 健身
语言 英语 法语 德语 日语 西班牙语 中文 汉语 俄语 韩语
外语 英语 法语 德语 日语 西班牙语 俄语 韩语
乐器 钢琴 小提琴 吉他 大提琴 长笛 古筝 二胡
宠物 狗 猫 兔子 仓鼠 小狗 小猫
奖 奖项 金牌 奖牌 大奖
大学 本科 硕士 博士 学位 毕业
孩子 儿子 女儿
肉 牛肉 猪肉 羊肉 鸡肉
"""

# ---- words that exclude each other ----

OPPOSITES_EN = """
increase decrease
increase reduce
rise fall
rose fell
grow shrink
open closed
enable disable
allow forbid
allow prohibit
allow ban
accept reject
accept decline
approve reject
approve deny
succeed fail
success failure
win lose
won lost
marry single
marry unmarried
marry divorced
indoor outdoor
always never
true false
profit loss
alive die
begin finish
begin end
nonprofit forprofit
public private
hot cold
early late
safe dangerous
legal illegal
possible impossible
available unavailable
compatible incompatible
reliable unreliable
healthy ill
rich poor
expensive cheap
fast slow
male female
present absent
arrive leave
mandatory optional
require optional
free paid
online offline
full empty
synchronous asynchronous
encrypted unencrypted
vegetarian carnivore
introvert extrovert
remain resign
hire fire
strong weak
easy difficult
easy hard
include exclude
north south
east west
left right
upper lower
maximum minimum
import export
"""
OPPOSITES_ZH = """
增加 减少
上升 下降
上涨 下跌
增长 下降
打开 关闭
开启 关闭
开放 关闭
启用 禁用
允许 禁止
接受 拒绝
批准 拒绝
批准 否决
通过 否决
成功 失败
赢 输
获胜 失利
已婚 未婚
已婚 单身
妻子 单身
室内 室外
室内 户外
真 假
盈利 亏损
公立 私立
公开 私密
热 冷
早 晚
安全 危险
合法 非法
必须 可选
免费 收费
免费 付费
线上 线下
在线 离线
同步 异步
男 女
健康 生病
便宜 昂贵
快 慢
高 低
强 弱
大 小
内向 外向
推迟 提前
扩大 缩小
进口 出口
南 北
东 西
左 右
营利性 非营利
"""

# ---- what relations allow ----

# Of these a subject has one (at a time): a differing value is a contradiction even in a short sentence.
SINGLE_EN = words(
    "ceo cto cfo president director manager chairman chairwoman mayor captain leader boss head owner capital birthday"
    " birthplace born base headquarter headquarters graduate marry name age height weight population budget deadline price cost"
    " revenue salary specialize founder found first favorite favourite best largest smallest tallest oldest youngest title"
    " live currency version default port password address color colour degree major nationality religion blood"
    " mother father spouse inventor invent discover capacity limit speed temperature distance length duration"
    " schedule host venue located location expire win winner weigh measure debut premiere"
)
SINGLE_ZH = words(
    "首席执行官 董事长 总裁 总经理 经理 主席 市长 校长 队长 负责人 首都 省会 生日 出生 籍贯 总部 位于 毕业 妻子 名字 年龄 身高 体重"
    " 人口 预算 截止 截止日期 价格 收入 营收 工资 成立 首次 第一 最大 最小 最高 最喜欢 标题 货币 语言 版本 默认 端口 密码 地址 颜色 专业"
    " 国籍 母亲 父亲 发明 发现 容量 上限 速度 温度 距离 长度 时长 地点 举行 冠军 星座 血型 学历 居住 担任 定于 法人 老板 主管 组长 主编"
    " 主演 导演 面积 海拔 所在地 法定代表人 班主任 现任"
)
# Of these a subject may have several, so another value alone says nothing.
SEVERAL_EN = words(
    "enjoy like write publish volunteer travel visit give receive speak attend play read eat interest hobby friend"
    " member advocate support study watch perform lecture talk participate contribute include use offer provide have own work explore local renowned popular accomplished avid successful professional prestigious special activity new good great spend time issue thing field area matter team people person individual group"
    " know collaborate win appear feature cite mention involve share develop sell buy see say think want need make go take get"
)
SEVERAL_ZH = words(
    "喜欢 写 发表 出版 参加 参与 访问 去 去过 获得 精通 玩 读 看 吃 朋友 成员 支持 学习 学 包括 使用 提供 有 养 购买 合作 介绍 开发 认识 卖 做 说 想 需要 旅行 拥有"
)
# A pair has these once together, however it is told.
ONCE_TOGETHER_EN = words("meet marry cofound found")
ONCE_TOGETHER_ZH = words("相识 认识 结识 相遇 结婚 创立")
# With a name as the value, and nothing else that differs, these too allow one.
ONE_NAMED_EN = words("work employ study drive belong report")
ONE_NAMED_ZH = words("工作 任职 就读 属于")
AMATEURS_EN = words("avid amateur keen hobby hobbyist passionate former retired aspiring part-time")
INSTITUTION_EN = words("university college institute school academy polytechnic mit")
# What a person is by trade; who is one is taken not to be another.
TRADES_EN = words(
    "accountant actor actress architect artist astronaut astronomer astrophysicist baker banker barista barrister"
    " biologist botanist butcher carpenter cellist chef chemist choreographer coach composer conductor consultant cook"
    " dancer dentist designer detective developer dietitian diplomat doctor economist editor electrician engineer entrepreneur"
    " farmer filmmaker firefighter florist geologist historian illustrator investor janitor journalist judge lawyer lecturer"
    " librarian linguist marketer mathematician mechanic musician neurologist neuroscientist novelist nurse nutritionist"
    " painter paramedic pharmacist philosopher photographer physicist pianist pilot plumber poet politician potter"
    " programmer psychiatrist psychologist sailor salesperson scientist sculptor secretary singer soldier sommelier"
    " statistician surgeon surveyor tailor teacher therapist translator veterinarian violinist waiter welder zoologist"
)
TRADES_ZH = words(
    "医生 律师 教师 老师 工程师 程序员 设计师 厨师 护士 会计 会计师 记者 作家 画家 演员 歌手 音乐家 钢琴家 小提琴家 科学家 物理学家 化学家"
    " 生物学家 数学家 历史学家 经济学家 建筑师 摄影师 导演 司机 飞行员 警察 消防员 军人 农民 工人 商人 教授 牙医 药剂师 心理学家 舞蹈家 舞者"
    " 诗人 翻译 编辑 图书管理员 运动员 教练 法官 检察官 公务员 银行家 企业家 投资人 理发师 面包师 电工 木匠 兽医"
)
# What is said with these goes both ways, so the order of the names says nothing.
MUTUAL_EN = words(
    "meet marry friend sibling brother sister twin partner collaborate cooperate together both same share colleague"
    " classmate roommate neighbor neighbour between equal near border tie merge date cousin and with"
)
MUTUAL_ZH = words(
    "一起 共同 合作 认识 朋友 同学 同事 夫妻 兄弟 姐妹 兄妹 结婚 妻子 邻居 相同 之间 都 互相 相邻 和 与 跟 同"
)
# A state can hold of many subjects and come and go with time.
STATES_EN = words(
    "is are was were am be has have lives live works work enjoys enjoy prefers prefer focuses focus likes like loves love speaks speak knows"
    " specializes specialize wants owns own studies plays play resides uses use holds hold needs supports contains"
)

TITLES_EN = words(
    "mr mrs ms miss dr prof sir dame jr sr md phd dds ii iii esq lady lord saint professor doctor"
)
MONTHS = words("january february march april may june july august september october november december")
WEEKDAYS = words("monday tuesday wednesday thursday friday saturday sunday")
NUMBER_WORDS = {
    word: value
    for value, names in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
        " sixteen seventeen eighteen nineteen twenty".split()
    )
    for word in (names,)
} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
    "twice": 2,
    "dozen": 12,
}
