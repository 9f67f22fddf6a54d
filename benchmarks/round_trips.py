"""The BLEU of a perfect translation, by language and by text: `join: moses`, `join: reversible` and `sentencepiece`.

    python benchmarks/round_trips.py [de:FILE ...]

References are cut into tokens, joined again, and scored against themselves. Without files they are article 1 of the
Universal Declaration of Human Rights in 17 languages, as it is, inside of typographic quotes, and with its accents as
characters of their own (NFD); a file has a sentence on each line. Differences of white space alone are none.
"""

import sys
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from docmt.settings.data import TextConfig
from docmt.text.round_trip import bleu_of
from docmt.text.sentencepiece_learning import learn_pieces
from docmt.text.sentencepieces import RawText
from docmt.text.tokenizers import tokenizer_for

ARTICLE = {
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience "
    "and should act towards one another in a spirit of brotherhood.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt "
    "und sollen einander im Geiste der Brüderlichkeit begegnen.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de "
    "conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y "
    "conciencia, deben comportarse fraternalmente los unos con los otros.",
    "cs": "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají "
    "spolu jednat v duchu bratrství.",
    "ru": "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены разумом и совестью и "
    "должны поступать в отношении друг друга в духе братства.",
    "uk": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і "
    "повинні діяти у відношенні один до одного в дусі братерства.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με "
    "λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
    "tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve "
    "birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
    "ar": "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميرًا وعليهم أن يعامل "
    "بعضهم بعضًا بروح الإخاء.",
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה "
    "עליהם לנהוג איש ברעהו ברוח של אחווה.",
    "fa": "تمام افراد بشر آزاد به دنیا می\u200cآیند و از لحاظ حیثیت و حقوق با هم برابرند. همه دارای عقل و "
    "وجدان می\u200cباشند.",
    "hi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें "
    "बुद्धि और अन्तरात्मा की देन प्राप्त है।",
    "th": "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ",
    "zh": "人人生而自由，在尊严和权利上一律平等。他在New York和Владимир Путин见面。",
    "ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
}
PIECES = 8000  # At most; a short text has fewer.
FORMS = {
    "as it is": lambda text: text,
    "in quotes": lambda text: f"“{text}” – ‘It’s,’ she said…",
    "NFD": lambda text: unicodedata.normalize("NFD", text),
}


def ceiling(language: str, references: Sequence[str], join: str) -> float:
    """BLEU of references that were cut and joined again."""
    tokenizer = tokenizer_for(language, TextConfig(join=join))
    joined = [tokenizer.detokenize(tokenizer.tokenize(reference)) for reference in references]
    return bleu_of(joined, references, language)


def ceiling_of_sentencepiece(language: str, references: Sequence[str]) -> float:
    """BLEU of references that were cut into pieces, which are learnt on them, and joined again."""
    tokenizer = RawText()
    lines = [tokenizer.tokenize(reference) for reference in references]
    model = learn_pieces(Counter(token for tokens in lines for token in tokens), PIECES, "the references")
    pieces = [[piece for token in tokens for piece in model.pieces(token)] for tokens in lines]
    return bleu_of([tokenizer.detokenize(model.join(names)) for names in pieces], references, language)


def main() -> None:
    files = [argument.partition(":") for argument in sys.argv[1:]]
    texts = {(code, path): Path(path).read_text(encoding="utf-8").splitlines() for code, _, path in files}
    texts = texts or {(code, form): [change(text)] for code, text in ARTICLE.items() for form, change in FORMS.items()}
    print("| language | text | moses | reversible | sentencepiece |")
    print("|---|---|---|---|---|")
    for (code, name), references in texts.items():
        scores = [ceiling(code, references, join) for join in ("moses", "reversible")]
        scores.append(ceiling_of_sentencepiece(code, references))
        print(f"| {code} | {name} | {' | '.join(f'{score:.1f}' for score in scores)} |")


if __name__ == "__main__":
    main()
