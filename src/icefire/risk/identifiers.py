"""The 18 identifiers of the HIPAA safe harbour, 45 CFR 164.514(b)(2)(i), and column names that indicate them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Guard = Literal["", "text", "many", "rare"]
"""What the values must be like for a name to count: anything, text, many different ones, few that repeat."""

REMOVE = "Remove the column."
NUMBER = r"( (id|ids|no|nr|num|number|code|identifier))"


@dataclass(frozen=True, slots=True)
class IdentifierRule:
    """One kind of identifier: where the law names it, what it is, the names it goes by, what to do."""

    paragraph: str
    what: str
    names: re.Pattern[str]
    advice: str = REMOVE
    guard: Guard = ""


def _rule(paragraph: str, what: str, names: str, advice: str = REMOVE, guard: Guard = "") -> IdentifierRule:
    return IdentifierRule(paragraph, what, re.compile(names), advice, guard)


CODE = "Remove the column, or replace it by a code that is not derived from the person and whose key is kept secret."
PERSON = _rule(
    "R",
    "the number of a person",
    rf"\b(participant|respondent|subject|person|customer|client|household|employee|student|user){NUMBER}$",
    CODE,
    "many",
)
OTHER = _rule(
    "R",
    "another unique number or code",
    rf"\b(id|ids|uuid|guid|identifier|pseudonym|token|hash|hashed|key)$|\b(record|row|case){NUMBER}$",
    CODE,
    "rare",
)
DATE = _rule(
    "C",
    "a date finer than a year",
    r"\b(dates?|dob|birthday|birthdate|timestamp|datetime)\b"
    r"|\b(birth|death|admission|discharge|visit|service|surgery) (day|month)\b",
    "Keep the year only.",
)
AGE = _rule("C", "an age over 89", r"\bages?\b", "Put everybody over 89 into one group: 90 or older.")
AGE_IN_OTHER_UNITS = re.compile(r"\b(months?|weeks?|days?|hours?|group|code)\b")
PLACE = _rule(
    "B",
    "a place smaller than a state",
    r"\b(zip|zipcode|zip code|postal|postcode|post code|street|address|addr|city|town|village|county|district|precinct"
    r"|ward|municipality|suburb|neighbou?rhood|parish|borough|commune|latitude|longitude|lat|lon|lng|gps|geocode"
    r"|coordinates?|census tract|block group)\b",
    "Keep the state at most; the first three digits of a ZIP code only where more than 20,000 people live.",
)
NAME = _rule(
    "A", "a name", r"\b(names?|surname|forename|firstname|lastname|fullname|nickname|initials)\b", guard="text"
)
NOT_A_PERSON = re.compile(
    r"\b(product|drug|brand|item|file|column|table|variable|company|shop|store|test|procedure|disease|diagnosis|code"
    r"|event|field|species|group|category|country|state|region|class|type|job) names?\b"
)
EMAIL = _rule("F", "an e-mail address", r"\be ?mails?\b")
SSN = _rule(
    "G",
    "a social security or other national number",
    rf"\b(ssn|social security|nino|my number|national (id|insurance|number)|tax{NUMBER}|personal (id|number))\b",
    guard="many",
)
URL = _rule("N", "a web address", r"\b(urls?|web ?sites?|home ?page|web address)\b", guard="text")
IP = _rule("O", "an IP address", r"\bip( ?v[46])?( addr(ess)?)?$", guard="many")
PHONE = _rule(
    "D", "a telephone number", rf"\b(tele)?phones?{NUMBER}?$|\btel{NUMBER}?$|\bmobile{NUMBER}?$", guard="many"
)

BY_NAME = (
    EMAIL,
    IP,
    _rule(
        "M", "a device number", rf"\b(device|implant|serial){NUMBER}$|\bserial$|\b(imei|imsi|udi|mac( addr(ess)?)?)$"
    ),
    URL,
    _rule("E", "a fax number", r"\bfax\b"),
    PHONE,
    SSN,
    _rule(
        "H",
        "a medical record number",
        rf"\b(mrn|medical record)\b|\b(patient|chart|hospital|encounter){NUMBER}$",
        guard="many",
    ),
    _rule(
        "I",
        "a health plan number",
        rf"\bhealth plan\b|\b(beneficiary|insurance|insured|member|policy|subscriber|medicare|medicaid){NUMBER}$",
        guard="many",
    ),
    _rule(
        "J",
        "an account number",
        rf"\biban\b|\b(bank |credit |debit )?(account|acct|card){NUMBER}$|\b(bank account|credit card|account)$",
        guard="many",
    ),
    _rule(
        "L",
        "a vehicle number",
        rf"\bvin\b|\b(licen[cs]e|number|registration) plate\b|\bplate{NUMBER}?$|\b(vehicle|car){NUMBER}$",
        guard="many",
    ),
    _rule(
        "K", "a certificate or licence number", rf"\b(licen[cs]e|certificate|passport|permit){NUMBER}?$", guard="many"
    ),
    _rule(
        "P", "a biometric", r"\b(biometrics?|finger ?prints?|voice ?prints?|iris scan|retina scan|face (id|template))\b"
    ),
    _rule("Q", "a photograph", r"\b(photos?|photographs?|portrait|selfie|mugshot|face image)\b", guard="many"),
    PLACE,
    NAME,
    DATE,
    PERSON,
    OTHER,
)
FREE_TEXT = _rule("A–R", "free text", "", "Remove it, or read and clean every entry: people write names into it.")

# Looked for anywhere in a value: a single one already identifies somebody.
ANYWHERE = (
    (EMAIL, r"[\w.+-]+@[\w-]+\.[A-Za-z]{2,}"),
    (URL, r"(?i)\bhttps?://|\bwww\.\w"),
    (SSN, r"\b\d{3}-\d{2}-\d{4}\b"),
    (IP, r"^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$"),
)
# Must match the whole of at least half of the values, because ranges and codes sometimes look alike.
MOSTLY = (
    (
        DATE,
        r"^\d{4}[-/.](0?[1-9]|1[0-2])([-/.]\d{1,2})?([T ].*)?$|^\d{1,2}[-/.]\d{1,2}[-/.](\d{2}|\d{4})([T ].*)?$",
    ),
    (PHONE, r"^\+\d{8,15}$|^\+?\(?\d{1,4}\)?[ ./-]+\(?\d{2,4}\)?([ ./-]\d{2,5}){1,3}$"),
)


def plain(name: str) -> str:
    """Write a column name as lower-case words: patientID, patient_id and Patient-Id are all "patient id"."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return " ".join(re.sub(r"[\W_]+", " ", split).lower().split())
