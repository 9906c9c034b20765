"""Pairs of memories and what a careful reader says of them, written for these tests.

`conflict`: both cannot be true. `merge`: the same fact in other words, or one holds the other.
`related`: they concern each other, both may be true. `unrelated`: neither.
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
]
