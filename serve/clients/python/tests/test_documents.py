"""What sotto anonymize writes of documents is read by the libraries that people read them with."""

from __future__ import annotations

import datetime
import email
import email.message
import email.policy
import os
import pathlib
import subprocess

import docx
import openpyxl


def anonymized(path: pathlib.Path) -> pathlib.Path:
    out = path.with_name("out" + path.suffix)
    subprocess.run([os.environ["SOTTO_TEST_BIN"], "anonymize", path, "-o", out], check=True, capture_output=True)
    assert b"Halloran" not in out.read_bytes()
    return out


def test_docx(tmp_path: pathlib.Path) -> None:
    d = docx.Document()
    d.core_properties.author = "Ines Halloran"
    d.add_paragraph("Customer: My name is Ines Halloran.")
    cells = d.add_table(rows=1, cols=2).rows[0].cells
    cells[0].text, cells[1].text = "Agent", "Thank you, Ines."
    d.sections[0].header.paragraphs[0].text = "Ines Halloran"
    d.save(str(tmp_path / "call.docx"))
    out = docx.Document(str(anonymized(tmp_path / "call.docx")))
    assert [p.text for p in out.paragraphs] == ["Customer: My name is [PERSON_NAME_1].", "Agent: Thank you, [PERSON_NAME_1]."]
    assert not out.core_properties.author or out.core_properties.author == "python-docx"
    assert len(out.sections) == 0  # and no header


def test_xlsx(tmp_path: pathlib.Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Halloran"
    day = datetime.date(2025, 3, 4)
    for row in (["speaker", "text", "seconds", "day"], ["Customer", "My name is Ines Halloran.", 1.5, day]):
        book.active.append(row)
    book.save(tmp_path / "call.xlsx")
    out = openpyxl.load_workbook(anonymized(tmp_path / "call.xlsx"))
    assert [list(r) for r in out.active.values] == [
        ["speaker", "text", "seconds", "day"],
        ["Customer", "My name is [PERSON_NAME_1].", 1.5, "2025-03-04"],
    ]
    assert out.sheetnames == ["Sheet1"]


def test_eml(tmp_path: pathlib.Path) -> None:
    m = email.message.EmailMessage()
    m["From"], m["Subject"] = "Ines Halloran <ines@example.com>", "Question from Ines Halloran"
    m.set_content("My name is Ines Halloran.\n")
    m.add_alternative("<p>My name is Ines Halloran.</p>", subtype="html")
    (tmp_path / "mail.eml").write_bytes(bytes(m))
    out = email.message_from_bytes(anonymized(tmp_path / "mail.eml").read_bytes(), policy=email.policy.default)
    assert out["Subject"] == "Question from [PERSON_NAME_1]" and out["From"] is None
    assert out.get_content().strip() == "My name is [PERSON_NAME_1]."
