"""Pairs of memories and what a careful reader says of them, written for these tests.

`conflict`: both cannot be true. `merge`: the same fact in other words, or one holds the other.
`related`: they concern each other, both may be true. `unrelated`: neither. `apart`: one of these two.
"""

ENGLISH = [
    # another value in the same slot
    ("conflict", "The CEO of Acme is Laura Stone.", "The CEO of Acme is Peter Novak."),
    ("conflict", "Acme's chief executive is Laura Stone.", "The CEO of Acme is Peter Novak."),
    ("conflict", "Hannah was born in Oslo.", "Hannah was born in Bergen."),
    ("conflict", "The capital of Freedonia is Port Amber.", "The capital of Freedonia is Silver Bay."),
    ("conflict", "Tom Reyes works at Northwind.", "Tom Reyes works at Contoso."),
    ("conflict", "The warehouse is located in Rotterdam.", "The warehouse is located in Antwerp."),
    ("conflict", "Ines Prado graduated from Lund University.", "Ines Prado graduated from Ghent University."),
    ("conflict", "The default port is 8080.", "The default port is 9090."),
    ("conflict", "My favorite color is green.", "My favorite color is blue."),
    ("conflict", "Dora Lim is a dentist in Leeds.", "Dora Lim is a pilot in Leeds."),
    # numbers with units
    ("conflict", "The bridge is 420 meters long.", "The bridge is 380 meters long."),
    ("conflict", "The project budget is $1.5 million.", "The project budget is $2 million."),
    ("conflict", "Olga Petrova has three children.", "Olga Petrova has two children."),
    ("conflict", "The battery lasts 12 hours on one charge.", "The battery lasts 9 hours on one charge."),
    # dates
    ("conflict", "Acme was founded in 1999.", "Acme was founded in 2003."),
    ("conflict", "The release is scheduled for March 14.", "The release is scheduled for April 2."),
    ("conflict", "The review meeting was held on Tuesday.", "The review meeting was held on Friday."),
    # denial, exclusion, opposites
    ("conflict", "Mina Okafor has visited Japan twice.", "Mina Okafor has never visited Japan."),
    ("conflict", "The app supports offline mode.", "The app does not support offline mode."),
    ("conflict", "Ravi Menon enjoys hiking on weekends.", "Ravi Menon dislikes hiking."),
    ("conflict", "Karl Braun speaks German and Italian.", "Karl Braun only speaks German."),
    ("conflict", "The council approved the stadium plan.", "The council rejected the stadium plan."),
    (
        "conflict",
        "The prototype was built by Elena Cruz.",
        "Samir Aziz, not Elena Cruz, built the prototype.",
    ),
    (
        "conflict",
        "Anna Bell wrote the foreword of the atlas.",
        "Anna Bell never wrote the foreword of the atlas.",
    ),
    # another name in the same event
    (
        "conflict",
        "Jo Park and Lena Fox organized the winter charity auction for the library.",
        "Jo Park and Matt Hale organized the winter charity auction for the library.",
    ),
    # the same fact in other words
    ("merge", "Acme was founded in 1999 by Jane Doe.", "Jane Doe established Acme in 1999."),
    ("merge", "Laura Stone is the CEO of Acme.", "Acme's chief executive is Laura Stone."),
    ("merge", "The meeting begins at 9 am on Monday.", "The meeting starts on Monday at 9 am."),
    ("merge", "Hannah lives in Oslo.", "Hannah resides in Oslo."),
    ("merge", "The bridge is 420 meters long.", "The bridge is 420 meters long and was opened in 1931."),
    ("merge", "Ravi Menon bought a red car in May.", "In May, Ravi Menon purchased a red car."),
    # true at different times
    ("related", "In 2020 Acme had 300 employees.", "In 2023 Acme had 450 employees."),
    ("related", "In 2018 Hannah lived in Oslo.", "In 2022 Hannah lived in Bergen."),
    ("related", "Revenue was $5 million in 2021.", "Revenue was $7 million in 2022."),
    # relations that take several values
    ("related", "Ravi Menon enjoys hiking.", "Ravi Menon enjoys painting."),
    ("related", "Karl Braun speaks German.", "Karl Braun speaks Italian."),
    ("related", "Mina Okafor visited Japan.", "Mina Okafor visited Peru."),
    ("related", "Eliza Wood is a published author.", "Eliza Wood co-hosts a podcast about travel."),
    ("related", "Laura Stone has a dog.", "Laura Stone has a cat."),
    ("related", "The app supports offline mode.", "The app supports dark mode."),
    # other subjects
    ("related", "Laura Stone is the CEO of Acme in Leeds.", "Peter Novak is the CEO of Globex in Leeds."),
    ("related", "Jo Park is a nurse in Leeds.", "Lena Fox is a nurse in Leeds."),
    ("related", "Phase 1 takes three weeks.", "Phase 2 takes five weeks."),
    # room for both
    ("related", "The stadium holds over 15,000 people.", "The stadium holds 18,000 people."),
    ("related", "Hannah does not eat meat.", "Hannah cooks lentil soup every Sunday."),
    # nothing in common
    ("unrelated", "The bridge is 420 meters long.", "Ravi Menon enjoys painting."),
    ("unrelated", "Acme was founded in 1999.", "Whales sing to each other over long distances."),
    ("unrelated", "My favorite color is green.", "The council approved the stadium plan."),
    # more of each, as they come up in use
    ("conflict", "The meeting is at 3 pm.", "The meeting is at 5 pm."),
    ("conflict", "Our database is PostgreSQL.", "Our database is MySQL."),
    ("conflict", "The API uses OAuth for authentication.", "The API does not use OAuth for authentication."),
    ("conflict", "Maria moved to Berlin in 2019.", "Maria moved to Berlin in 2021."),
    ("conflict", "The server runs on port 443.", "The server runs on port 8443."),
    ("conflict", "The project deadline is June 30.", "The project deadline is July 15."),
    ("conflict", "User prefers dark mode.", "User prefers light mode."),
    ("conflict", "The user is allergic to peanuts.", "The user is not allergic to peanuts."),
    ("conflict", "Bob is married to Alice.", "Bob is single."),
    (
        "conflict",
        "The patient takes 20 mg of atorvastatin daily.",
        "The patient takes 40 mg of atorvastatin daily.",
    ),
    ("conflict", "Mount Kesh is 4,200 meters high.", "Mount Kesh is 3,900 meters high."),
    ("conflict", "The headquarters of Globex are in Paris.", "The headquarters of Globex are in Rome."),
    ("conflict", "Paris hosted the summit in 2015.", "London hosted the summit in 2015."),
    ("conflict", "The film was directed by Ana Ruiz.", "The film was directed by Leo Katz."),
    ("conflict", "The CEO is A.", "The CEO is B."),
    ("conflict", "the CEO is Zhang San", "the CEO is Li Si"),
    ("conflict", "I live in Berlin.", "I live in Munich."),
    ("conflict", "My name is Tom.", "My name is Tim."),
    (
        "merge",
        "The company was acquired by Initech for $40 million.",
        "Initech bought the company for $40 million.",
    ),
    ("merge", "Bob is Alice's husband.", "Bob is married to Alice."),
    ("merge", "The launch was delayed by two weeks.", "The launch was postponed by two weeks."),
    ("merge", "Water boils at 100 degrees.", "Water boils at 100 degrees."),
    ("apart", "Alice likes tea.", "Bob likes coffee."),
    ("apart", "Alice works at Acme in Berlin.", "Bob works at Acme in Berlin."),
    ("apart", "The cache is enabled in production.", "The cache is disabled in staging."),
    ("apart", "Version 1.2 fixed the login bug.", "Version 1.3 fixed the upload bug."),
    ("apart", "On Monday the team met in Rome.", "On Tuesday the team met in Paris."),
    ("apart", "Alice has a brother named Tom.", "Alice has a sister named Ann."),
    ("apart", "The first chapter covers graphs.", "The second chapter covers trees."),
    ("apart", "In January sales were 100 units.", "In February sales were 150 units."),
    ("apart", "Alice bought a laptop.", "Alice bought a phone."),
    ("apart", "The API returns JSON.", "The API returns XML."),
]

# What a comparer finds, and no rule.
COMPARED_ENGLISH = [
    ("conflict", "Revenue grew by 12% in 2023.", "Revenue fell by 12% in 2023."),
]

CHINESE = [
    # 同一事项的不同取值
    ("conflict", "公司的CEO是张三。", "公司的CEO是李四。"),
    ("conflict", "星河科技的首席执行官是张三。", "星河科技的CEO是李四。"),
    ("conflict", "王芳出生于杭州。", "王芳出生于苏州。"),
    ("conflict", "公司总部位于北京。", "公司总部位于深圳。"),
    ("conflict", "陈静毕业于清华大学。", "陈静毕业于复旦大学。"),
    ("conflict", "张伟在腾讯工作。", "张伟在华为工作。"),
    ("conflict", "李娜住在上海。", "李娜住在广州。"),
    ("conflict", "服务的默认端口是8080。", "服务的默认端口是9090。"),
    ("conflict", "刘洋是一名医生。", "刘洋是一名律师。"),
    ("conflict", "我最喜欢的颜色是绿色。", "我最喜欢的颜色是蓝色。"),
    # 数量与单位
    ("conflict", "项目预算为500万元。", "项目预算为300万元。"),
    ("conflict", "这座桥长420米。", "这座桥长380米。"),
    ("conflict", "李娜养了两只猫。", "李娜养了三只猫。"),
    ("conflict", "这款手机售价四千九百九十九元。", "这款手机售价5999元。"),
    ("conflict", "陈静今年三十五岁。", "陈静今年32岁。"),
    # 日期
    ("conflict", "星河科技成立于1999年。", "星河科技成立于2003年。"),
    ("conflict", "新版本将于3月14日发布。", "新版本将于4月2日发布。"),
    ("conflict", "评审会议定于周二举行。", "评审会议定于周五举行。"),
    # 否定、排他、反义
    ("conflict", "王芳去过日本两次。", "王芳从未去过日本。"),
    ("conflict", "该应用支持离线模式。", "该应用不支持离线模式。"),
    ("conflict", "赵磊喜欢徒步。", "赵磊讨厌徒步。"),
    ("conflict", "孙悦会说英语和法语。", "孙悦只会说英语。"),
    ("conflict", "市议会批准了体育馆方案。", "市议会否决了体育馆方案。"),
    ("conflict", "原型机是王芳设计的。", "原型机是李娜而不是王芳设计的。"),
    ("conflict", "张伟已婚。", "张伟未婚。"),
    # 同一事件换了人
    ("conflict", "王芳和李娜共同组织了图书馆的冬季慈善拍卖。", "王芳和赵磊共同组织了图书馆的冬季慈善拍卖。"),
    # 换一种说法
    ("merge", "星河科技由王芳于1999年创立。", "王芳在1999年创办了星河科技。"),
    ("merge", "张三是星河科技的首席执行官。", "星河科技的CEO是张三。"),
    ("merge", "李娜住在上海。", "李娜居住在上海。"),
    ("merge", "会议将于周一上午九点开始。", "会议周一上午9点开始。"),
    ("merge", "这座桥长420米。", "这座桥长420米，于1931年建成。"),
    ("merge", "赵磊五月买了一辆红色汽车。", "五月，赵磊购买了一辆红色汽车。"),
    # 不同时间
    ("related", "2020年公司有300名员工。", "2023年公司有450名员工。"),
    ("related", "2018年王芳住在杭州。", "2022年王芳住在苏州。"),
    ("related", "2021年营收为5亿元。", "2022年营收为7亿元。"),
    # 可以有多个取值
    ("related", "赵磊喜欢徒步。", "赵磊喜欢绘画。"),
    ("related", "孙悦会说英语。", "孙悦会说法语。"),
    ("related", "王芳去过日本。", "王芳去过秘鲁。"),
    ("related", "李娜养了一只狗。", "李娜养了一只猫。"),
    ("related", "该应用支持离线模式。", "该应用支持深色模式。"),
    ("related", "王芳是一位作家。", "王芳主持一档关于旅行的播客。"),
    # 主语不同
    ("related", "星河科技的CEO是张三。", "蓝海集团的CEO是李四。"),
    ("related", "王芳是上海的一名护士。", "李娜是上海的一名护士。"),
    ("related", "第一阶段需要三周。", "第二阶段需要五周。"),
    # 两者都说得通
    ("related", "体育馆可容纳超过15000人。", "体育馆可容纳18000人。"),
    ("related", "王芳不吃肉。", "王芳每周日煮扁豆汤。"),
    # 毫无关系
    ("unrelated", "这座桥长420米。", "赵磊喜欢绘画。"),
    ("unrelated", "星河科技成立于1999年。", "鲸鱼能够远距离歌唱交流。"),
    ("unrelated", "我最喜欢的颜色是绿色。", "市议会批准了体育馆方案。"),
    # 更多日常例子
    ("conflict", "公司的预算是五百万元。", "公司的预算是六百万元。"),
    ("conflict", "小王的生日是5月3日。", "小王的生日是6月3日。"),
    ("conflict", "项目负责人是陈明。", "项目负责人是周杰。"),
    ("conflict", "数据库采用MySQL。", "数据库采用PostgreSQL。"),
    ("conflict", "系统默认语言是中文。", "系统默认语言是英文。"),
    ("conflict", "用户对花生过敏。", "用户对花生不过敏。"),
    ("conflict", "2023年营收增长12%。", "2023年营收下降12%。"),
    ("conflict", "发布会在上海举行。", "发布会在北京举行。"),
    ("conflict", "张伟的妻子是李娜。", "张伟的妻子是王芳。"),
    ("conflict", "他住在北京市朝阳区。", "他住在上海市浦东区。"),
    ("conflict", "珠穆朗玛峰高8848米。", "珠穆朗玛峰高8600米。"),
    ("conflict", "会议下午三点开始。", "会议下午五点开始。"),
    ("conflict", "这家餐厅周一营业。", "这家餐厅周一不营业。"),
    ("merge", "公司被蓝海集团以4000万元收购。", "蓝海集团以4000万元收购了公司。"),
    ("merge", "发布推迟了两周。", "发布延期了两周。"),
    ("apart", "小明喜欢茶。", "小红喜欢咖啡。"),
    ("apart", "一月份销量为100台。", "二月份销量为150台。"),
    ("apart", "张伟买了一台电脑。", "张伟买了一部手机。"),
    ("apart", "生产环境启用了缓存。", "测试环境禁用了缓存。"),
    ("apart", "小明有一个哥哥。", "小明有一个妹妹。"),
    ("apart", "周一团队在罗马开会。", "周二团队在巴黎开会。"),
]

# What instructions, specifications and notes say side by side: nothing of it contradicts.
PROCEDURES_ENGLISH = [
    (
        "apart",
        "2. The reviewer marks the change as blocked.",
        "**Role**: Follow the reviewer's advice and edit the change.",
    ),
    ("apart", "- Only fetch new records.", "1. **Import**: fetch, check and merge records from all sources"),
    ("apart", "- Only retry failed uploads.", "- The worker retries uploads with a growing pause."),
    (
        "apart",
        "SQLite is the default store; PostgreSQL is for several machines.",
        "One process with defaults (SQLite, a local model) runs on a laptop.",
    ),
    (
        "apart",
        "The Planner agent reads the goal and writes the first plan.",
        "The Planner agent reads the report and updates the plan.",
    ),
    (
        "apart",
        "**Trigger**: The Judge agent finds a conflict in the first phase.",
        "**Role**: The Judge agent compares new nodes with old ones.",
    ),
    ("apart", "Run the migration before the release.", "Run the smoke tests after the release."),
    ("apart", "`GET /users` returns a list of users.", "`GET /users/{id}` returns one user."),
    (
        "apart",
        "If the cache is full, the oldest entry is dropped.",
        "If the cache is empty, the entry is loaded from disk.",
    ),
    ("apart", "When the queue is full, the server answers 429.", "When the server stops, it answers 503."),
    ("apart", "The parser does not read comments.", "The linter reads comments."),
    ("apart", "A task has a title, an owner and a due date.", "A task has a list of comments."),
    ("apart", "Step 3: The client sends the token.", "Step 4: The server checks the token."),
    ("apart", "The default timeout of reads is 5 seconds.", "The default timeout of writes is 30 seconds."),
    ("apart", "Use short names for local variables.", "Use long names for public functions."),
    ("apart", "The service stores vectors in memory.", "The service stores attachments on disk."),
    ("apart", "Admins can delete any project.", "Members can only delete their own projects."),
    ("apart", "I can only imagine how hard that was.", "I can imagine the first weeks were hard."),
    (
        "apart",
        "Life can be tough, but friends help me keep going.",
        "Life can be tough, but music can make a difference.",
    ),
    ("apart", "Memory keeps what is always needed.", "Unlike Skills, Memory is loaded at every start."),
    ("apart", "The index is rebuilt every night.", "The index is read by all workers."),
    (
        "apart",
        "Design: The gateway forwards requests to the workers.",
        "The gateway is built as a thin layer in front of the workers.",
    ),
    ("apart", "The writer agent drafts the text.", "The editor agent shortens the text."),
    (
        "apart",
        "Each session has one summary of at most 200 words.",
        "Each turn has a summary of at most 50 words.",
    ),
]

PROCEDURES_CHINESE = [
    (
        "apart",
        "2. 【审核Agent】判断为重复内容，需要合并",
        "**职责**：根据【审核Agent】的建议，修改内容的标题和标签。",
    ),
    ("apart", "- 只检索新的候选记录", "1. **全面检索**：多来源检索、核对、综合整理"),
    ("apart", "- 只检索新的候选记录", "- 新记录回到第三步（再次检索和判断）"),
    (
        "apart",
        "**触发条件**：【审核Agent】在初审中发现矛盾。",
        "**职责**：根据【审核Agent】的意见，更新记录的标签。",
    ),
    (
        "apart",
        "**定位**：调度平台提供一种任务编排方式，外部系统通过【网关】与该平台交互。",
        "调度平台设计为分层的结构，由多个Agent进行管理。",
    ),
    ("apart", "`before_run` — 加载配置", "- 每次运行只加载一次（已加载则跳过）"),
    ("apart", "2. **滑动窗口：** 仅使用最近五轮对话", "- **向量化：** 使用本地模型将对话转换为向量"),
    ("apart", "规划Agent读取目标，生成第一版计划。", "规划Agent读取任务结果，更新计划。"),
    ("apart", "如果缓存已满，则删除最旧的条目。", "如果缓存为空，则从磁盘加载条目。"),
    ("apart", "当队列已满时，服务器返回429。", "当服务器停止时，返回503。"),
    ("apart", "上线前运行迁移脚本。", "上线后运行冒烟测试。"),
    ("apart", "读操作的默认超时为5秒。", "写操作的默认超时为30秒。"),
    ("apart", "步骤三：客户端发送令牌。", "步骤四：服务器校验令牌。"),
    ("apart", "管理员可以删除任何项目。", "成员只能删除自己的项目。"),
    ("apart", "解析器不读取注释。", "检查器读取注释。"),
    ("apart", "服务将向量存放在内存中。", "服务将附件存放在磁盘上。"),
    ("apart", "任务包含标题、负责人和截止日期。", "任务包含评论列表。"),
    ("apart", "**输入**：用户的问题和上下文", "**输出**：结构化的摘要和关键词"),
    ("apart", "记忆适合始终需要的上下文，技能适合按需使用的流程。", "与技能不同，记忆是始终加载的上下文。"),
    ("apart", "每个会话保留一份不超过200字的摘要。", "每个话题保留一份不超过50字的摘要。"),
    ("apart", "- 不要修改已发布的接口", "- 修改接口时同步更新文档"),
    ("apart", "写作Agent负责起草文本。", "编辑Agent负责精简文本。"),
    ("apart", "索引每晚重建一次。", "索引由所有工作进程读取。"),
    ("apart", "短期记忆保存最近十轮对话。", "长期记忆保存重要的事实。"),
    ("apart", "系统支持按用户隔离数据。", "系统支持按项目导出数据。"),
]

# The same told of others, who may well do the same; and what states nothing.
OTHERS_ENGLISH = [
    (
        "apart",
        "Anna Bell and Tom Reyes both attended Lund University, where they became close friends.",
        "Lena Fox and Jo Park both attended Ghent University, where they became close friends.",
    ),
    (
        "apart",
        "Anna Bell and Tom Reyes both attended Lund University, where they became close friends.",
        "Lena Fox and Jo Park both attended Lund University, where they became close friends.",
    ),
    (
        "apart",
        "Anna Bell and Tom Reyes married in a small chapel in Bergen in June 2015.",
        "Lena Fox and Jo Park married in a small chapel in Ghent in June 2015.",
    ),
    (
        "apart",
        "Anna Bell and Tom Reyes organized a charity run to raise money for schools.",
        "Lena Fox and Jo Park organized a charity run to raise money for hospitals.",
    ),
    (
        "apart",
        "Anna Bell speaks three languages: English, French, and Polish.",
        "Tom Reyes speaks three languages: English, French, and Greek.",
    ),
    (
        "conflict",
        "Anna Bell speaks three languages: English, French, and Polish.",
        "Anna Bell speaks three languages: English, French, and Greek.",
    ),
    ("apart", "Anna Bell works at Northwind as a baker.", "Tom Reyes works at Contoso as a baker."),
    ("apart", "Anna Bell bakes bread at a mill on weekends.", "Tom Reyes bakes bread at a mill."),
    (
        "apart",
        "Anna Bell graduated from the University of Oslo in June 1999.",
        "Tom Reyes graduated from the University of Oslo in June 1999.",
    ),
    (
        "apart",
        "Anna Bell painted a large mural of whales in Oslo.",
        "Tom Reyes painted a large mural of whales in Oslo.",
    ),
    (
        "conflict",
        "Anna Bell painted Renata Quist for a calendar about women at sea.",
        "Tom Reyes painted Renata Quist for a calendar about women at sea.",
    ),
    (
        "apart",
        "Anna Bell spends weekends at a library instead of a dog shelter.",
        "Tom Reyes volunteers at a dog shelter on weekends.",
    ),
    (
        "apart",
        "Anna Bell developed a game for desktops, not a mobile app.",
        "Tom Reyes developed a popular mobile app.",
    ),
    (
        "apart",
        "Anna Bell translated a French novel about the sea into English.",
        "Tom Reyes translated a French novel about the sea into English.",
    ),
    ("apart", "6 May 2024 - Bergen", "4 May 2024 - Bergen"),
    ("apart", "Bergen May 6", "Bergen May 4"),
    ("apart", "Project Orion Weekly Report 12", "Project Orion Weekly Report 13"),
]

OTHERS_CHINESE = [
    ("apart", "王芳和赵磊在蓝湖大学读书时成为好友。", "李娜和张伟在青山大学读书时成为好友。"),
    (
        "apart",
        "王芳和赵磊合作举办了一场为音乐教育筹款的慈善活动。",
        "李娜和张伟合作举办了一场为艺术教育筹款的慈善活动。",
    ),
    ("apart", "王芳周末在当地的动物收容所做志愿者。", "赵磊在当地的动物收容所做志愿者。"),
    ("apart", "王芳在星河科技工作。", "赵磊在蓝海集团工作。"),
    ("apart", "王芳去年夏天修好了市政厅的旧钟楼。", "赵磊去年夏天修好了市政厅的旧钟楼。"),
    ("apart", "王芳对花生过敏，随身携带注射器。", "赵磊对花生过敏，随身携带注射器。"),
    ("apart", "王芳会说三种语言：英语、法语和德语。", "赵磊会说三种语言：英语、法语和日语。"),
    (
        "apart",
        "欧老板把我们接回去，死活不收钱，说房间空着。",
        "一间房一晚四百，比网上便宜，因为欧老板说他不想抽成。",
    ),
    ("apart", "六月三日，阚师傅：触点发黑，打磨后暂用。", "五月六日，阚师傅：开机试转，轴承座发热，停机。"),
    # headings and date lines
    ("apart", "5 月 6 日　雁岭", "5 月 4 日　雁岭"),
    ("apart", "晓岚: 5 月 6 日　雁岭", "晓岚: 5 月 4 日　雁岭"),
    ("apart", "5月6日 爬雁岭", "5月4日 爬雁岭"),
    ("apart", "2024年5月6日 星期一 晴", "2024年5月7日 星期二 阴"),
    ("apart", "会议纪要 2024年3月", "会议纪要 2024年4月"),
    ("apart", "项目预算 2023", "项目预算 2024"),
    ("apart", "5月6日 北京天气", "5月7日 北京天气"),
    ("apart", "鹭屿旅行计划", "雁岭旅行计划"),
    ("conflict", "售价 5999 元", "售价 6999 元"),
    ("conflict", "会议定于 5 月 6 日。", "会议定于 5 月 8 日。"),
    ("conflict", "小王的生日5月3日", "小王的生日6月3日"),
]
