"""Whole Chinese texts that contradict themselves nowhere: what a person tells of a life, a manual, and many things of
each of some subjects, of which rules call a few contradictions and the whole Judge fewer.

Much in them looks like a contradiction: two people, two things, before and after, by default and in a mode, some of
them and others.
"""

from itertools import combinations

import pytest

from core.agents.offline.claims.reading import read
from core.agents.offline.contradiction import contradiction
from core.agents.offline.judge import OfflineJudge
from core.agents.roles import ConflictOpinion, Topic
from core.ids import NodeId
from core.text import sentences
from tests.support.embedders import local_comparer, local_embedder

TOLD = """
我叫陈默，今年三十四岁，在一家做物流软件的公司当后端工程师。公司有两百多人，总部在上海，我所在的团队在成都。
我们组有六个人，负责订单系统。订单系统是用 Java 写的，报表服务是用 Go 写的。
数据库用的是 PostgreSQL，缓存用 Redis。我每天早上八点半出门，坐地铁上班，路上要四十分钟。
周五我一般在家办公。我太太是儿科医生，在市三医院上班。她每周有两个夜班。我们有一个女儿，今年上小学二年级。
女儿喜欢画画，不喜欢跑步。她对花生过敏，我对花粉过敏。我们住在武侯区，房子是租的，房租每月四千二。
父母住在绵阳，开车过去要一个半小时。我爸退休前是中学老师，我妈开过一家裁缝店。爸爸血压高，妈妈身体很好。
我喜欢跑步，去年跑完了第一个半程马拉松。第一次跑用了两小时十分，第二次用了一小时五十八分。
今年三月我的左膝受伤了，休息了六个星期。医生建议我每周跑两次，每次不超过八公里。现在膝盖好了，我又开始跑了。
我们打算明年买房，预算三百万左右。首付准备一百二十万，其余贷款。银行说利率可能下调。
上周公司发布了新版本，升级花了四个小时。升级前接口响应要八百毫秒，升级后只要两百毫秒。
测试环境的部署成功了，生产环境的部署失败了一次，后来回滚了。我们用的监控是自己搭的，告警发到企业微信。
日志保留三十天，备份保留一年。管理后台的端口是 8081，接口服务的端口是 8080。
同事小林上个月辞职了，小周接手了她的工作。小周以前在杭州工作。组里打算再招两个人。
经理希望我们六月底之前完成迁移。我觉得时间太紧，经理觉得没问题。中午我吃面，晚上回家吃饭。
我不吃香菜，太太特别爱吃香菜。周末我们常去人民公园喝茶，公园免费。
上次去动物园买了三张票，成人票六十，儿童票三十。动物园早上九点开门，下午五点半关门。
我的旧手机坏了，新手机是上个月买的。旧手机是华为的，新手机是小米的。太太的手机屏幕碎了，还没修。
家里的洗衣机修好了，烘干机还没修。我每个月看两本书，最近在读一本讲大运河的书。第一章讲开凿，第二章讲漕运。
女儿的学校下周三放假，我周三要开会，太太请了假。我没去过日本，太太去过两次。我们想暑假去大阪，但是签证还没办。
护照在书房的抽屉里，我的身份证在钱包里。爸妈的护照过期了，我们的护照还有效。车停在地下二层，电动车停在一层。
物业说二号电梯坏了，一号电梯正常。楼上的邻居很吵，楼下的邻居很安静。
"""

MANUAL = """
本手册说明存储服务的安装与配置。安装前请先检查系统要求。服务需要 Python 3.11 以上版本。
最低内存为 4 GB，推荐内存为 16 GB。默认端口是 8080，管理端口是 9090。
默认情况下缓存是开启的，调试模式下缓存是关闭的。日志默认写到标准输出。日志级别可以设为调试、信息或错误。
请求超时默认为三十秒，空闲超时默认为五分钟。连接数上限是一千，单个客户端的连接数上限是五十。
数据目录必须是绝对路径，日志目录可以是相对路径。数据文件每小时备份一次，日志文件每天备份一次。
备份保留七天，快照保留三十天。写入是同步的，复制是异步的。主节点负责写入，从节点负责读取。
主节点故障时，从节点会被提升为主节点。故障的节点会从列表中删除，恢复的节点会重新加入列表。
只读模式下不能写入，可以读取。读写模式下可以写入。管理员可以删除用户，普通用户不能删除用户。
普通用户可以修改自己的密码。密码不能少于八个字符，令牌不能少于三十二个字符。
令牌一小时后过期，刷新令牌三十天后过期。过期的令牌不能使用，有效的令牌可以使用。
若验证成功，返回 200；若验证失败，返回 401。创建成功返回 201，删除成功返回 204。
请求体不能超过 10 MB，附件不能超过 100 MB。字段名是可选的，字段编号是必填的。
关闭服务前应当先停止写入。启动服务后会自动恢复未完成的任务。升级时先升级从节点，再升级主节点。
降级时先降级主节点，再降级从节点。社区版免费，企业版收费。社区版不支持集群，企业版支持集群。
压缩默认启用，加密默认不启用。启用加密后性能会下降。关闭压缩后磁盘占用会上升。磁盘空间不足时写入会失败。
磁盘空间恢复后写入会成功。单机模式有一个节点，集群模式至少有三个节点。测试通过后才能发布。
测试没有通过时不能发布。索引在后台建立，建立期间查询仍然可用。索引建立完成后查询会变快。删除索引后查询会变慢。
查询结果最多返回一千条，默认返回一百条。第一页从零开始，第二页从一百开始。时间戳的单位是毫秒，超时的单位是秒。
配置文件的格式是 YAML，导出文件的格式是 JSON。客户端用 Python 编写，服务端用 C++ 编写。
中文文档在 docs/zh 目录，英文文档在 docs/en 目录。旧接口已经停用，新接口已经启用。
旧接口返回数组，新接口返回对象。支持的系统是 Linux 和 macOS，不支持 Windows。
许可证是 Apache-2.0，第三方组件的许可证是 MIT。发布周期是六周，补丁周期是两周。
"""

OF_ONE_THING = """
生产环境用的是PostgreSQL。生产环境禁止直接登录。生产部门在三楼。生产计划已经批准。大学在城西。
大学附近有地铁。大学每年招收三千名学生。中学的操场正在翻修。数学考试在周五。数学老师姓王。科学馆周一闭馆。
科学家发现了一颗新星。文学社每周三聚会。文学院有四个系。他开的店生意很好。他开的车很旧。他开的会很长。
她坐的火车晚点了。她坐的位置靠窗。公交车上坐的都是老人。公司产品主要销往欧洲。公司产品通过了认证。
公司产品是智能手表。公司产品有三条线。会议内容是预算。会议内容需要保密。会议地点离车站不远。作者是一位医生。
作者写到第三章了。作者来自杭州。作者在书里写到自己的童年。日志写到/var/log/app。
日志写到磁盘以后才返回。日志每天轮转一次。备份放在另一台机器上。备份由运维负责。备份每晚两点开始。
备份需要两个小时。数据库迁到了新机房。数据库用的是PostgreSQL 15。数据库每周维护一次。
接口用JSON传数据。接口用令牌鉴权。接口用异步方式写成。系统用Python写成。系统用缓存加速查询。
系统用两台服务器。前端用TypeScript开发。前端用按钮触发上传。项目由小李负责测试。项目由三个小组完成。
项目由公司出资。项目由政府支持。项目在杭州启动。项目在去年启动。项目在预算内完成。她在北京大学读研究生。
她在图书馆读小说。她在医院工作。她在医院生了个女儿。她在上海长大。她在上海举办了画展。她打算去云南。
她打算去看牙医。她打算去学游泳。她学钢琴已经三年。她学会了开车。她学东西很快。他想当医生。他想当然地以为没事。
他的血型是A型。他的血压偏高。名字是奶奶起的。名字叫起来很顺口。老板是广东人。老板是个急性子。
老板是三年前接手的。上司是女的。上司是他的同学。原因是网络故障。原因是值班的人没有看到告警。原因很快查明了。
火灾由电路老化引起。火灾由消防队扑灭。火灾由保险公司赔付。门票由学校承担。门票由窗口领取。车停在楼下。
船停在港口。钥匙挂在门后。合同放在抽屉里。会议改到了周四。会议改在了二楼。终点站是火车站。终点站是一座老建筑。
这条路通向海边。这条路通向海边，也通向灯塔。墙刷成了白色。墙刷了两遍。第一章讲历史。第一章讲得很清楚。
这门课讲算法。这门课讲得太快。界面语言是英语。界面语言是可以切换的。目录是自动生成的。目录是/opt/data。
总部设在深圳。总部设有三个部门。总部在一栋老楼里。总部在去年搬迁。她最喜欢的水果是芒果。她最喜欢的书是小说。
她最喜欢的季节是秋天。他负责采购。他负责这个项目的采购和物流。他负责照顾父亲。采购由他负责。物流由他负责。
发票由财务开。发票由客户领取。学校在河边。学校在假期不开放。学校在招老师。医院门口可以停车。医院里禁止吸烟。
医院的食堂对外开放。医院的花园在维修。超市晚上十点关门。超市早上七点开门。超市在装修期间照常营业。
地铁站在大学旁边。地铁站在修新出口。电梯可以坐十个人。电梯修好了。手机充满电要一小时。手机可以无线充电。
手机不能防水。手机支持两张卡。这款手机便宜。这款手机很重。这款手机屏幕大。手册讲安装。手册由厂家编写。
手册有中英文两种。测试没有通过。测试环境已经上线。测试报告通过了评审。测试由外包完成。部署由流水线完成。
部署在凌晨进行。部署在三台机器上。缓存命中率提高了。缓存时间降低到五分钟。响应时间降低了。价格上涨了。
成本下降了。温度升高时风扇加速。温度降低后风扇停转。用户可以上传文件。管理员可以删除用户。访客不能删除用户。
免费版可以导出。付费版可以导出。停车收费。门票免费。咖啡免费续杯。网络免费使用。会员免费停车。他喜欢苹果。
他讨厌下雨。他喜欢雨后的空气。妻子喜欢安静。丈夫喜欢热闹。早上很冷。中午很热。房间很大。房间很暗。
房间的窗户很小。河水很浅。河水很急。他父亲去世了。他母亲健在。他爷爷还活着。哥哥结婚了。弟弟单身。姐姐离婚了。
公司在招聘工程师。公司裁掉了销售部。合同已经签了。补充协议还没有签。贷款还清了。房租还欠一个月。他通过了笔试。
他没有通过面试。甲队赢了上半场。甲队输了下半场。议会批准了预算。议会否决了修正案。老师允许带字典。
这个功能默认关闭。那个功能默认开启。日志级别可以设置。时区不能设置。服务启动后监听端口。服务停止后释放端口。
"""


MISTAKEN = 9  # pairs of OF_ONE_THING, of 21,000, that rules call contradictions
STANDING = 1  # of them, in which the whole Judge finds a conflict


def contradictions(text: str) -> list[tuple[str, str]]:
    lines = [text[start:end] for start, end in sentences.spans(text)]
    assert len(lines) > 50
    return [(a.text, b.text) for a, b in combinations(map(read, lines), 2) if contradiction(a, b) is not None]


async def conflict(judge: OfflineJudge, a: str, b: str) -> bool:
    old, new = (Topic(node_id=NodeId(text), summary=text, context=text, keywords=()) for text in (a, b))
    opinions = await judge.conflicts_and_merges(new, [old])
    return any(isinstance(opinion, ConflictOpinion) for opinion in opinions)


@pytest.mark.parametrize("text", [TOLD, MANUAL], ids=["told", "manual"])
def test_no_two_sentences_of_a_text_that_agrees_with_itself_contradict_each_other(text: str) -> None:
    assert contradictions(text) == []


async def test_the_comparer_rules_out_most_of_what_rules_find_in_many_things_told_of_one_subject() -> None:
    judge = OfflineJudge(local_embedder(), local_comparer())

    mistaken = contradictions(OF_ONE_THING)
    standing = [pair for pair in mistaken if await conflict(judge, *pair)]

    assert len(mistaken) <= MISTAKEN
    assert len(standing) <= STANDING
