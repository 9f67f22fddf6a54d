"""The words of the toy corpus in Chinese and English, all written for this corpus."""

from typing import NamedTuple


class Person(NamedTuple):
    """A person whose English pronoun depends on `gender`, male or female."""

    zh: str
    en: str
    gender: str


PAIRS = tuple(
    (Person(he_zh, he_en, "male"), Person(she_zh, she_en, "female"))
    for he_zh, he_en, she_zh, she_en in (
        ("汤姆", "Tom", "玛丽", "Mary"),
        ("约翰", "John", "安娜", "Anna"),
        ("彼得", "Peter", "海伦", "Helen"),
        ("大卫", "David", "露西", "Lucy"),
        ("爷爷", "Grandpa", "奶奶", "Grandma"),
        ("王先生", "Mr Wang", "王太太", "Mrs Wang"),
        ("国王", "the king", "王后", "the queen"),
        ("那个男孩", "the boy", "那个女孩", "the girl"),
    )
)
"""Pairs of people, so that each person has a counterpart of the other gender."""

PRONOUN = {"male": ("he", "his"), "female": ("she", "her")}


class Time(NamedTuple):
    """The time of a state. `en` is put at the end of the English sentence; `be` is the English verb form, is or was."""

    zh: str
    en: str
    be: str


NO_TIME = Time("", "", "is")
TODAY = Time("今天", " today", "is")
NOW = Time("现在", " now", "is")
YESTERDAY = Time("昨天", " yesterday", "was")

DEGREES = (("很", "very"), ("特别", "especially"), ("非常", "extremely"))

FEELINGS = (
    ("累", "tired"),
    ("高兴", "happy"),
    ("饿", "hungry"),
    ("忙", "busy"),
    ("紧张", "nervous"),
    ("难过", "sad"),
    ("生气", "angry"),
)
DOINGS = (
    ("在找钥匙", "looking for {his} key"),
    ("在等朋友", "waiting for {his} friend"),
    ("在写日记", "writing {his} diary"),
    ("在洗手", "washing {his} hands"),
    ("在收拾房间", "tidying {his} room"),
)
WHEREABOUTS = (
    ("公园里", "in the park"),
    ("图书馆里", "in the library"),
    ("学校里", "at school"),
    ("医院里", "in the hospital"),
    ("家里", "at home"),
    ("海边", "by the sea"),
)

NEUTRAL_PEOPLE = (
    ("老师", "the teacher"),
    ("医生", "the doctor"),
    ("邻居", "the neighbour"),
    ("学生", "the student"),
    ("司机", "the driver"),
    ("同事", "the colleague"),
    ("客人", "the guest"),
    ("经理", "the manager"),
)
"""People whose words show no gender in Chinese or in English."""


class Fruit(NamedTuple):
    """A fruit, with its English singular and plural."""

    zh: str
    singular: str
    plural: str


FRUITS = (
    Fruit("苹果", "apple", "apples"),
    Fruit("梨", "pear", "pears"),
    Fruit("桃子", "peach", "peaches"),
    Fruit("橙子", "orange", "oranges"),
    Fruit("西瓜", "watermelon", "watermelons"),
    Fruit("芒果", "mango", "mangoes"),
    Fruit("香蕉", "banana", "bananas"),
    Fruit("柠檬", "lemon", "lemons"),
)
SINGLE = ("一个", "")
MANY = (("两个", "two"), ("三个", "three"), ("四个", "four"), ("五个", "five"), ("几个", "some"))
DISHES = (
    ("盘子里", "on the plate"),
    ("篮子里", "in the basket"),
    ("冰箱里", "in the fridge"),
    ("碗里", "in the bowl"),
)
SENSES = (("", "{be}"), ("看起来", "look{s}"), ("闻起来", "smell{s}"), ("吃起来", "taste{s}"))
TASTES = (("甜", "sweet"), ("酸", "sour"), ("新鲜", "fresh"), ("香", "fragrant"), ("可口", "tasty"))


class Sense(NamedTuple):
    """A sense of an ambiguous word: the Chinese measure word and attribute that show the sense, and the English word.

    The attribute is empty where the measure word alone shows the sense.
    """

    measure: str
    attribute: str
    en: str


class AmbiguousWord(NamedTuple):
    """A Chinese word that has two English translations, one for each sense.

    The Chinese form is the same everywhere, so that the mentions of the word form a lexical chain. With `outdoors`, the
    place of the thing is one of OUTDOORS, else one of INDOORS.
    """

    zh: str
    senses: tuple[Sense, Sense]
    outdoors: bool


AMBIGUOUS_WORDS = (
    AmbiguousWord("车", (Sense("辆", "两个轮子的", "bike"), Sense("辆", "运货的", "truck")), True),
    AmbiguousWord("羊", (Sense("只", "长胡子的", "goat"), Sense("只", "剪毛的", "sheep")), True),
    AmbiguousWord("鸡", (Sense("只", "打鸣的", "rooster"), Sense("只", "下蛋的", "hen")), True),
    AmbiguousWord("牛", (Sense("头", "产奶的", "cow"), Sense("头", "耕地的", "ox")), True),
    AmbiguousWord("杜鹃", (Sense("只", "", "cuckoo"), Sense("盆", "", "azalea")), True),
    AmbiguousWord("鸽子", (Sense("只", "送信的", "pigeon"), Sense("只", "白色的", "dove")), True),
    AmbiguousWord("乌龟", (Sense("只", "水里的", "turtle"), Sense("只", "陆地上的", "tortoise")), True),
    AmbiguousWord("船", (Sense("艘", "打鱼的", "boat"), Sense("艘", "远航的", "ship")), True),
    AmbiguousWord("琴", (Sense("架", "立式的", "piano"), Sense("把", "拉弓的", "violin")), False),
    AmbiguousWord("笔", (Sense("支", "画图的", "pencil"), Sense("支", "签字的", "pen")), False),
    AmbiguousWord("球", (Sense("个", "弹跳的", "basketball"), Sense("个", "飘起来的", "balloon")), False),
    AmbiguousWord("灯", (Sense("盏", "插电的", "lamp"), Sense("盏", "点蜡烛的", "lantern")), False),
    AmbiguousWord("杯子", (Sense("个", "喝茶的", "cup"), Sense("个", "喝酒的", "glass")), False),
    AmbiguousWord("桌子", (Sense("张", "写字的", "desk"), Sense("张", "吃饭的", "table")), False),
    AmbiguousWord("钟", (Sense("座", "报时的", "clock"), Sense("座", "寺庙的", "bell")), False),
    AmbiguousWord("刀", (Sense("把", "切菜的", "knife"), Sense("把", "武士的", "sword")), False),
    AmbiguousWord("瓶子", (Sense("个", "装水的", "bottle"), Sense("个", "插花的", "vase")), False),
    AmbiguousWord("帽子", (Sense("顶", "遮阳的", "hat"), Sense("顶", "毛线的", "cap")), False),
    AmbiguousWord("袋子", (Sense("个", "购物的", "bag"), Sense("个", "装米的", "sack")), False),
    AmbiguousWord("锅", (Sense("口", "炒菜的", "wok"), Sense("口", "煮汤的", "pot")), False),
)
OUTDOORS = (
    ("院子里", "in the yard"),
    ("村子里", "in the village"),
    ("河边", "by the river"),
    ("山上", "on the hill"),
)
INDOORS = (
    ("屋里", "in the room"),
    ("教室里", "in the classroom"),
    ("办公室里", "in the office"),
    ("门口", "at the door"),
)
LOOKS = (
    ("大", "big"),
    ("小", "small"),
    ("漂亮", "beautiful"),
    ("普通", "ordinary"),
    ("重", "heavy"),
    ("干净", "clean"),
)


class Activity(NamedTuple):
    """An activity: the Chinese verb and three English forms."""

    zh: str
    base: str
    past: str
    present: str


ACTIVITIES = (
    Activity("游泳", "swim", "swam", "swims"),
    Activity("唱歌", "sing", "sang", "sings"),
    Activity("跳舞", "dance", "danced", "dances"),
    Activity("画画", "draw", "drew", "draws"),
    Activity("做饭", "cook", "cooked", "cooks"),
    Activity("钓鱼", "fish", "fished", "fishes"),
    Activity("滑雪", "ski", "skied", "skis"),
    Activity("滑冰", "skate", "skated", "skates"),
    Activity("骑马", "ride a horse", "rode a horse", "rides a horse"),
    Activity("下棋", "play chess", "played chess", "plays chess"),
)


class Modality(NamedTuple):
    """A modality that 也一样 ("likewise") repeats: the English auxiliary, and three ways to write the full verb."""

    auxiliary: str
    ways: tuple[tuple[str, str], ...]


CAN = (("会{zh}", "can {base}"), ("很会{zh}", "can {base} very well"), ("已经会{zh}了", "can already {base}"))
DID = (("昨天{zh}了", "{past} yesterday"), ("上周{zh}了", "{past} last week"), ("早上{zh}了", "{past} in the morning"))
DOES = (("每天{zh}", "{present} every day"), ("经常{zh}", "often {present}"), ("每周{zh}", "{present} every week"))
MODALITIES = (Modality("can", CAN), Modality("did", DID), Modality("does", DOES))

SCENES = (
    ("天气", "the weather", (("好", "good"), ("冷", "cold"), ("热", "hot"))),
    ("公园", "the park", (("安静", "quiet"), ("热闹", "lively"))),
    ("街上", "the street", (("安静", "quiet"), ("热闹", "lively"))),
    ("商店", "the shop", (("热闹", "lively"), ("暖和", "warm"))),
    ("风", "the wind", (("大", "strong"), ("冷", "cold"))),
    ("河水", "the river", (("冷", "cold"), ("清", "clear"))),
    ("音乐", "the music", (("好听", "lovely"), ("响", "loud"))),
    ("房子", "the house", (("旧", "old"), ("暖和", "warm"))),
    ("早饭", "the breakfast", (("简单", "simple"), ("丰盛", "rich"))),
)
"""The scenes, which share no fact with other sentences: the subject in Chinese and English, and its possible states."""
