"""The Chinese words by which claims are compared: as the tagger cuts them.

Law: words only, no logic, nothing of one domain.
"""

from core.text.words import words

FUNCTION = words(
    """
    的 了 着 过 地 得 之 其 是 为 于 在 从 自 由 被 把 将 对 向 与 和 及 以及 跟 同 或 或者 并 并且 而
    而且 但 但是 却 又 也 都 还 就 才 则 所 以 因 因为 所以 如果 虽然 然而 不过 只 仅 仅仅 一起 共同
    一同 已 已经 曾 曾经 正 正在 目前 现在 如今 经常 常常 常 通常 总是 主要 很 非常 十分 最 更 较 比较
    这 那 该 此 这个 那个 这家 那家 这位 那位 这款 那款 他 她 它 他们 她们 它们 我 我们 你 你们 自己 一个 一位 一名 一家
    一档 一本 一只 一种 一项 一部 一台 一辆 一座 一次 一 个 位 名 家 档 本 种 项 部 座 次 款 呢 吗 吧 啊 不 没
    没有 未 无 非 并非 不是 从未 从不 不再 别 勿 有 能 可以 可 会 要 上 下 中 里 内 外 时 等 各 每 某 来
    去 到 给 让 使 用 根据 通过 按照 关于 有关 一直 之一 左右 大约 约 至少 超过 不到 多 余 起 间 后 前
    昨天 今天 明天 上周 下周 上个月 下个月 这个月 去年 今年 明年 最近 可能
    """
)

NEGATORS = words(
    """
    不 没 没有 未 未曾 无 无法 非 并非 并未 并不 不是 从未 从不 从来不 从没 从来没有 不再 不会 不能 不曾
    绝不 绝非 毫无 不用 不需 不必 不可 不得 没法
    """
)

CUT_WRONGLY = words("会话 搬到 搬去 迁到")  # by the tagger

HEDGES = words("可能 也许 或许 大概 似乎 好像 恐怕 估计 预计 应该")

EXCLUSIVE = words("只 仅 仅仅 唯独 只有 只会")

# Saying any of the others denies the first of a line.
DENYING = """
喜欢 讨厌 厌恶 反感
支持 反对
接受 拒绝
承认 否认
允许 禁止 严禁 不准
有 缺乏 缺少 戒 戒掉
担任 辞去 卸任
有效 无效
有权 无权
有害 无害
"""

# One group a line; the first stands for all.
SYNONYMS = """
成立 创立 创办 创建 建立 创始 创始人 建于 始建 创办人 设立
首席执行官 ceo 行政总裁
位于 坐落 坐落于 地处 设在
担任 任 出任 就任
喜欢 喜爱 爱好 热爱 爱 酷爱
出生 生于 诞生 出生于
居住 住 住在 定居 居于 搬到 搬去 迁到
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
推迟 延期 延迟
结束 完成 完结
支持 兼容
养 饲养
医生 大夫
关门 打烊
付款 付钱
签 签于 签订 签署
午饭 午餐
晚饭 晚餐
失效 过期
删除 清理 清除
总部 本部
工资 薪水 薪资 月薪
允许 准许 可以
发布 推出 上市
举行 召开 举办
获得 获 荣获 得到
工作 就职 任职
教授 教
精通 会说 流利
周一 星期一
周二 星期二
周三 星期三
周四 星期四
周五 星期五
周六 星期六
周日 星期日 星期天
公司 企业
费用 费 钱 花费 开销
维修 修 修理 检修
名字 叫 名叫 名为 叫做
"""

OPPOSITES = """
增加 减少
阳性 阴性
准点 晚点
准时 晚点
开放 闭馆
营业 关门
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

# Kinds and some of what falls under them: who denies the kind denies these. The kind comes first.
KINDS = """
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

# Of these a subject has one (at a time): a differing value is a contradiction even in a short sentence.
SINGLE = words(
    """
    首席执行官 董事长 总裁 总经理 经理 主席 市长 校长 队长 负责人 首都 省会 生日 出生 籍贯 总部 位于
    毕业 妻子 名字 年龄 身高 体重 人口 预算 截止 截止日期 价格 收入 营收 工资 成立 首次 第一 最大 最小
    最高 最喜欢 标题 数据库 货币 语言 版本 默认 端口 密码 地址 颜色 专业 国籍 母亲 父亲 发明 发现 容量 上限
    速度 温度 距离 长度 时长 地点 举行 冠军 星座 血型 学历 居住 担任 定于 法人 老板 主管 组长 主编 主演
    导演 面积 海拔 所在地 法定代表人 班主任 现任 总监 财务总监
    """
)

# Of these a subject may have several, so another value alone says nothing.
SEVERAL = words(
    """
    喜欢 写 发表 出版 参加 参与 访问 去 去过 获得 精通 玩 读 看 吃 朋友 成员 支持 学习 学 包括 使用 提供
    有 养 购买 合作 介绍 开发 认识 卖 做 说 想 需要 旅行 拥有 读取 写入 返回 更新
    生成 检索 加载 判断 检测 检查 存储 保存 处理 执行 调用 管理 负责
    """
)

# A pair has these once together, however it is told.
ONCE_TOGETHER = words("相识 认识 结识 相遇 结婚 创立")

# With a name as the value, and nothing else that differs, these too allow one.
ONE_NAMED = words("工作 任职 就读 属于")

# What is said with these goes both ways, so the order of the names says nothing.
MUTUAL = words(
    """
    一起 共同 合作 认识 朋友 同学 同事 夫妻 兄弟 姐妹 兄妹 结婚 妻子 邻居 相同 之间 都 互相 相邻 和 与
    跟 同
    """
)

# What many do alike, so that another who did it is no contradiction.
OPEN_TO_ALL = words(
    """
    参加 参与 出席 毕业 就读 考上 上学 学习 出生 去世 住 居住 搬 搬家 搬到 旅行 旅游 去 去过 到达 访问 志愿 工作
    退休 加入 观看 看 吃 买 购买 租
    """
)

# Of one thing at one time there is one who does it.
ONE_DOER = words("冠军 夺冠 赢 承办 主持 发明 发现 创立 执导 导演 主编 指挥 率领")

# What a person is by trade; who is one is taken not to be another.
TRADES = words(
    """
    医生 律师 教师 老师 工程师 程序员 设计师 厨师 护士 会计 会计师 记者 作家 画家 演员 歌手 音乐家
    钢琴家 小提琴家 科学家 物理学家 化学家 生物学家 数学家 历史学家 经济学家 建筑师 摄影师 导演 司机
    飞行员 警察 消防员 军人 农民 工人 商人 教授 牙医 药剂师 心理学家 舞蹈家 舞者 诗人 翻译 编辑
    图书管理员 运动员 教练 法官 检察官 公务员 银行家 企业家 投资人 理发师 面包师 电工 木匠 兽医
    """
)

# What a firm or an institution is, behind its own name: 恒光电力.
FIRMS = words(
    """
    公司 集团 股份 电力 能源 新能源 科技 电器 电气 机械 重工 物流 实业 药业 传媒 保险 证券 银行 酒店 医院 大学 中学 小学
    """
)

STATES = words(
    """
    是 在 住 住在 喜欢 工作 有 位于 居住 需要 支持 使用 精通 任职 担任 从事 属于 会
    """
)

COPULAS = words("定于 将 需要 是 为 有 在 于 由 达 位于 属于 等于 担任 不是 没有")

NOT_NUMBERS = words(
    """
    一起 一直 一样 一般 一定 一些 一切 一旦 一致 唯一 之一 统一 第一 一同 万一 十分 千万 一边 一共 三角
    百分 五金 四川 一个 一位 一名 一家 一档 一本 一种 一项 一部 一台 一辆 一座 一次 一款 一篇 一场
    """
)

# The first of a line is what it is read as, as in English.
PERSONAL = """
i 我
we 我们
you 你
he 他
she 她
they 他们 她们
it 它
"""

AT_LEAST = words("超过 至少 大于 多于 不少于 逾")
AT_MOST = words("不到 低于 少于 至多 最多 不超过 不能超过 不得超过 不可超过 不会超过 不大于 不多于 小于")
BOUNDING = words("超过 多于 大于 高于 少于 低于 小于")

# Behind 一 these make "a", not "one"; behind other numerals they count.
MEASURES = frozenset("个位名家档本只种项部座次款篇场辆条件份间所支首张把台艘幅栋")
COUNTED = frozenset(
    "岁天年月日号周点分秒倍层楼元块米吨克斤里代届级人亩星度成折环期轮类双对颗棵根块片页章节%％"
)
