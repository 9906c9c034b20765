"""Labels before a colon that name what is told of ("Firm A: …", 恒光电力：…), rather than who speaks or a property.

Law: pure; goes by the label's own words. A label that is no name of a firm, an option, a place or the like, and no
known property, may be a speaker.
"""

import re

NAMED = (
    r"(?:firm|company|vendor|supplier|option|offer|model|site|plan|team|candidate|bidder|bid|variant|product|provider"
    r"|quote|contractor|proposal|scenario|method|city|school|hospital|bank)s?\s+\S+$"
)
INCORPORATED = (
    r".*\b(?:ltd|inc|gmbh|ag|ab|as|oy|corp|corporation|co|llc|plc|sa|bv|group|systems|technologies|solutions|energy"
    r"|power|electric|industries)\.?$"
)
NAMED_ZH = (
    r".*(?:公司|集团|电力|能源|电气|电器|科技|股份|银行|大学|医院|研究院|厂|厂家|厂商|供应商|机械|重工|建设|物流|泵业|设备"
    r"|[甲乙丙丁](?:方|公司|厂|家)?|(?:方案|型号|选项|产品|公司|厂家).{1,6})(?:[（(][^）)]*[）)])?$"
)
ENTITY = re.compile(f"{NAMED}|{INCORPORATED}|{NAMED_ZH}", re.IGNORECASE)

KEYS = (
    r"(?:unit |total |net |gross |annual )?(?:price|cost|total|sum|fee|rate|budget"
    r"|deliver\w*|lead time|shipping|warranty"
    r"|guarantee|payment|terms?|valid\w*|date|time|deadline|address|phone|tel|telephone|fax|mobile|e-?mail|web\w*|url"
    r"|link|contact|note|remark|power|capacity|yield|output|weight|size|height|length|width|noise|quantity|status|source"
    r"|title|subject|location|advantage|disadvantage|pro|con|risk|strength|weakness|summary|conclusion|result"
    r"|(?:model|type|product|offer)$)(?:e?s)?\b"
)
KEYS_ZH = (
    r".{0,6}(?:价|价格|报价|费|费用|成本|金额|预算|交货|交货期|交期|工期|周期|质保|质保期|保修|保修期|付款|付款方式|有效期"
    r"|日期|时间|地址|电话|手机|传真|邮箱|网址|联系人|备注|说明|功率|容量|发电量|重量|尺寸|高度|噪音|数量|状态|来源|标题"
    r"|优点|缺点|风险|优势|劣势|结论|结果|服务|规格)$"
)
KEY = re.compile(rf"(?-i:[a-z])|{KEYS}|{KEYS_ZH}", re.IGNORECASE)


def names_entity(label: str) -> bool:
    """Whether a label names a thing that things are told of."""
    return ENTITY.match(label.strip()) is not None and not names_property(label)


def names_property(label: str) -> bool:
    """Whether a label names a property ("Delivery", 报价), whose value follows."""
    return KEY.match(label.strip()) is not None
