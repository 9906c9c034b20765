"""Texts in the encodings that people still have: read right, or refused with what was tried."""

from pathlib import Path

import pytest

from service.cli.documents import Document, DocumentUnreadable, read_file

TEXTS = {
    "Chinese": "会议定在周三下午三点，地点是二楼的会议室。请大家带上上个月的报告和预算。",
    "Chinese, traditional": "會議訂在週三下午三點，地點是二樓的會議室。請大家帶上上個月的報告和預算。",
    "Japanese": "会議は水曜日の午後三時に二階の会議室で行います。先月の報告書を持ってきてください。",
    "Korean": "회의는 수요일 오후 세 시에 이층 회의실에서 열립니다. 지난달 보고서를 가져오세요.",
    "Russian": "Совещание назначено на среду в три часа дня. Принесите, пожалуйста, отчёт за прошлый месяц.",
    "Greek": "Η συνάντηση είναι την Τετάρτη στις τρεις το απόγευμα. Φέρτε την αναφορά του προηγούμενου μήνα.",
    "German": "Die Sitzung ist am Mittwoch um drei Uhr im großen Büro. Bringen Sie die Pläne für März mit.",
    "French": "La réunion a lieu mercredi à trois heures au deuxième étage. Apportez le rapport du mois passé.",
    "Spanish": "La reunión es el miércoles a las tres en el despacho de Núñez. Traiga también el informe de mañana.",
    "Polish": "Spotkanie jest w środę o trzeciej w dużej sali. Proszę przynieść też żółte teczki i księgowość.",
    "Czech": "Schůze je ve středu ve tři hodiny v zasedací místnosti. Přineste prosím zprávu za minulý měsíc.",
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        *(("Chinese", each) for each in ("gb2312", "gbk", "gb18030", "utf-16-le", "utf-32")),
        ("Chinese, traditional", "big5"),
        *(("Japanese", each) for each in ("shift_jis", "euc_jp")),
        ("Korean", "euc_kr"),
        *(("Russian", each) for each in ("cp1251", "koi8_r", "cp866", "iso8859_5")),
        ("Greek", "cp1253"),
        *(("German", each) for each in ("latin-1", "cp1252", "cp850", "utf-16-le", "utf-16-be")),
        *(("French", each) for each in ("latin-1", "cp1252", "mac_roman")),
        ("Spanish", "latin-1"),
        *(("Polish", each) for each in ("cp1250", "iso8859_2")),
        ("Czech", "cp1250"),
    ],
)
def test_a_text_is_read_in_the_one_encoding_that_makes_a_language_of_it(
    tmp_path: Path, language: str, encoding: str
) -> None:
    text = f"{TEXTS[language]}\n"
    path = tmp_path / "notes.txt"
    path.write_bytes(text.encode(encoding))

    assert read_file(path) == Document(path=path, text=text)


def test_a_text_that_names_its_encoding_is_read_in_it(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="koi8-r"?><note>Да</note>'
    path = tmp_path / "note.xml"
    path.write_bytes(text.encode("koi8-r"))

    assert read_file(path) == Document(path=path, text=text)


@pytest.mark.parametrize(
    "content", ["Café.".encode("latin-1"), bytes(range(128, 256)) * 3, b"a\xff\xfe\xfdb \x81\x8d"]
)
def test_what_is_in_doubt_is_refused_with_what_was_tried(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)

    with pytest.raises(DocumentUnreadable, match=r"cp1252, .*--encoding") as refused:
        read_file(path)

    assert "notes.txt" in str(refused.value)
