"""Names of columns that name people, or tell what others know of them, whatever their values look like.

A postcode that differs in every row of a small table is no identifier. Names are known in English, German, French and
Japanese.
"""

from __future__ import annotations

import re
import unicodedata

POSTCODES = {"zip", "zipcode", "postcode", "postal", "postalcode", "plz", "postleitzahl"}
BIRTHS = {"birth", "birthday", "birthdate", "born", "dob", "geburtsdatum", "geburtstag", "naissance"}
PEOPLE = {
    "id", "name", "surname", "person", "patient", "customer", "client", "member", "user", "employee", "respondent",
    "email", "mail", "phone", "telephone", "mobile", "ssn", "kunde", "kundennummer", "nachname", "vorname", "nom",
    "forename", "firstname", "lastname", "fullname", "passport", "iban", "imei", "mrn", "nhs", "telefon", "handy",
    "prenom", "courriel", "matricule", "versicherungsnummer", "steuernummer", "personalnummer", "patientennummer",
}  # fmt: skip
PERSONAL = {
    "surname", "nachname", "vorname", "nom", "prenom", "forename", "firstname", "lastname", "fullname", "email",
    "phone", "telephone", "mobile", "telefon", "handy", "courriel", "ssn", "passport", "iban", "imei",
}  # fmt: skip
"""Words that leave no doubt: such a column identifies people, however many of them share a value."""
WHOSE_NAME = {"first", "last", "family", "given", "full", "middle", "maiden", "display", "nick"}
"""Words before `name` that make it a person's name; town_name and product_name are none."""
JAPANESE_PERSONAL = (
    "氏名", "姓名", "電話番号", "メールアドレス", "シメイ", "フリガナ", "ふりがな", "マイナンバー", "個人番号",
    "口座番号",
)  # fmt: skip
JAPANESE_POSTCODES, JAPANESE_BIRTHS = ("郵便番号", "ユウビンバンゴウ"), ("生年月日", "誕生日", "セイネンガッピ")
JAPANESE_PEOPLE = (
    "氏名",
    "名前",
    "姓名",
    "患者番号",
    "患者id",
    "会員番号",
    "社員番号",
    "顧客番号",
    "電話番号",
    "メール",
    "シメイ",
    "ナマエ",
    "フリガナ",
    "ふりがな",
    "マイナンバー",
    "個人番号",
    "口座番号",
    "携帯",
    "診察券番号",
    "被保険者番号",
    "学籍番号",
)
_WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|\d+")


def known_topic(name: str) -> str | None:
    """Return what a column tells by its name, if that is known of people: a postcode, a date of birth."""
    name = unicodedata.normalize("NFKC", name)
    words = _words(name)
    for topic, names, japanese in (
        ("a postcode", POSTCODES, JAPANESE_POSTCODES),
        ("a date of birth", BIRTHS, JAPANESE_BIRTHS),
    ):
        if words & names or any(part in name for part in japanese):
            return topic
    return None


def names_people(name: str) -> bool:
    """Return whether a column names people by its name: `patient`, `resp_id`, 氏名."""
    name = unicodedata.normalize("NFKC", name)
    return bool(_words(name) & PEOPLE) or any(part in name.lower() for part in JAPANESE_PEOPLE)


def is_personal(name: str) -> bool:
    """Return whether a column is a person's name, address of mail, telephone or account by its name alone."""
    name = unicodedata.normalize("NFKC", name)
    words = _words(name)
    of_a_person = "name" in words and words - {"name"} <= WHOSE_NAME | PEOPLE
    return bool(words & PERSONAL) or of_a_person or any(part in name for part in JAPANESE_PERSONAL)


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORDS.findall(name)}
