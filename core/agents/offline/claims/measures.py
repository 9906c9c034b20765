"""Units that measure one thing: 90 minutes and an hour and a half, 2 公斤 and 4 斤.

Law: words and factors only. A number with a listed unit is compared by its dimension, in that dimension's first unit.
"""

# A dimension and its units, each with how many of the first it is.
_LISTED = """
mass kg 1 kgs 1 kilo 1 kilos 1 kilogram 1 kilograms 1 g 0.001 gram 0.001 grams 0.001 mg 0.000001 lb 0.4536
mass lbs 0.4536 pound 0.4536 pounds 0.4536 ton 1000 tons 1000 tonne 1000 tonnes 1000
mass 公斤 1 千克 1 斤 0.5 克 0.001 毫克 0.000001 吨 1000
length m 1 metre 1 metres 1 meter 1 meters 1 km 1000 kilometre 1000 kilometres 1000 kilometer 1000 kilometers 1000
length cm 0.01 centimetres 0.01 centimeters 0.01 mm 0.001 mile 1609 miles 1609 foot 0.3048 feet 0.3048
length inch 0.0254 inches 0.0254
length 米 1 公里 1000 千米 1000 厘米 0.01 毫米 0.001 英里 1609 里 500
time min 60 mins 60 minute 60 minutes 60 hour 3600 hours 3600 second 1 seconds 1 day 86400 days 86400 week 604800
time weeks 604800 year 31557600 years 31557600 decade 315576000 decades 315576000
time 分钟 60 小时 3600 个小时 3600 钟头 3600 个钟头 3600 秒 1 秒钟 1 毫秒 0.001 天 86400
time 周 604800 个星期 604800 星期 604800
area 平方米 1 平米 1 平 1 亩 666.7
volume l 1 litre 1 litres 1 liter 1 liters 1 ml 0.001 millilitres 0.001 milliliters 0.001
volume 升 1 公升 1 毫升 0.001
memory gb 1 mb 0.001 tb 1000 gigabytes 1 megabytes 0.001 terabytes 1000
money 元 1 块 1 块钱 1
"""


def _read() -> dict[str, tuple[str, float]]:
    found = {}
    for line in _LISTED.strip().splitlines():
        dimension, *rest = line.split()
        for unit, factor in zip(rest[::2], rest[1::2], strict=True):
            found[unit] = (dimension, float(factor))
    return found


MEASURED = _read()  # a unit to its dimension and its factor
