"""Names and values of columns that tell of health, belief, membership of a union, sexual life, convictions or income.

These are sensitive whatever their values look like: a diagnosis of two values is no quasi-identifier. Names are known
in English, German, French and Japanese. Ethnic origin is not listed: it can often be seen, so it stays a
quasi-identifier.
"""

from __future__ import annotations

import re
import unicodedata

import polars as pl

WORDS = {
    "health": (
        "abortion addiction aids alcohol allergy alzheimer anxiety arthritis asthma autism bipolar blood "
        "cancer charlson cholesterol chronic comorbidity comorbidities copd covid death dementia depressed "
        "depression diabetes deceased diabetic diag diagnosis diagnoses dialysis diastolic died disability "
        "disabled disease disorder drug drugs dx epilepsy glucose hba1c heart hepatitis hiv hypertension icd "
        "icd9 icd10 ill illness infection injury insulin kidney medication medications mental mortality "
        "obesity overdose parkinson pregnancy pregnant prescription procedure prognosis psychiatric "
        "schizophrenia sclerosis sick sickness smoker smokes smoking stroke suicide surgery symptom symptoms "
        "systolic therapy treatment tuberculosis tumor tumour vaccinated vaccination behinderung befund "
        "blutdruck blutzucker diagnose erkrankung krankheit krebs raucher rauchen schwanger schwangerschaft "
        "diabete diagnosi diagnostic enceinte fumeur grossesse handicap maladie sante tabac traitement"
    ),
    "religion or belief": "religion religious faith denomination konfession glaube croyance",
    "membership of a union": "union gewerkschaft syndicat",
    "sexual life": "sexuality orientation sexualitat sexualite",
    "politics": "party vote voted politics political partei parti",
    "convictions": "conviction convictions criminal offence offense arrest vorstrafe condamnation",
    "income": "income salary wage wages earnings debt einkommen gehalt lohn revenu salaire",
}
JAPANESE = {
    "health": (
        "病 症 診断 糖尿 血圧 血糖 喫煙 妊娠 障害 障がい 健康 治療 感染 手術 がん 癌 既往 疾患 透析 "
        "薬 処方 アレルギー 検査 死因 死亡"
    ),
    "religion or belief": "宗教 信仰",
    "membership of a union": "労働組合 組合員",
    "politics": "政党 投票",
    "convictions": "前科 犯罪",
    "income": "年収 所得 収入 給与",
}
SHORTEST_PART = 6
"""Words at least this long are also found inside longer ones: Diabeteserkrankung."""
ICD = r"^[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?$"
ICD_SHARE, ICD_VALUES = 0.9, 3


def sensitive_topic(name: str) -> str | None:
    """Return what a column tells about by its name, if that is sensitive."""
    full = unicodedata.normalize("NFKC", name)
    japanese = next((topic for topic, words in JAPANESE.items() if any(word in full for word in words.split())), None)
    if japanese:
        return japanese
    tokens = _tokens(name)
    for topic, words in WORDS.items():
        for word in words.split():
            if word in tokens or (len(word) >= SHORTEST_PART and any(word in token for token in tokens)):
                return topic
    return None


def holds_diagnoses(column: pl.Series) -> bool:
    """Tell whether a column of text holds codes of the International Classification of Diseases."""
    values = column.drop_nulls()
    if column.dtype != pl.String or values.n_unique() < ICD_VALUES:
        return False
    return bool(values.str.contains(ICD).mean() >= ICD_SHARE)  # type: ignore[operator]


def _tokens(name: str) -> list[str]:
    """Split a name at case changes and marks: SmokerStatus, smoker_status and smoker-status have the same words."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain)
    words = re.findall(r"[a-z]+\d*", spaced.lower())
    words += [word.rstrip("0123456789") for word in words]  # also covid19
    return [*words, *re.findall(r"[a-z]+\d+[a-z]+", plain.lower())]  # also hba1c
