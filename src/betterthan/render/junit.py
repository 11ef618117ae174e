"""Sheets for a continuous-integration server: JUnit XML."""

import re
from xml.etree import ElementTree as ET

from betterthan.errors import UsageError
from betterthan.results.escaping import inert, inert_text
from betterthan.results.sheet import Sheet

# What XML 1.0 cannot hold, not even escaped: most control characters.
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(sheet: Sheet) -> str:
    """Write one test case per claim.

    An open question is an error: it must not look like a success, as ``skipped`` does on most
    servers.
    """
    if not sheet.cases:
        raise UsageError("JUnit XML is for a gate, whose claims pass or fail")
    rulings = [case.ruling for case in sheet.cases]
    counts = {
        "tests": str(len(rulings)),
        "failures": str(rulings.count("failure")),
        "errors": str(rulings.count("error")),
    }
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "betterthan gate", **counts})
    properties = ET.SubElement(suite, "properties")
    for name, value in (("ruling", sheet.ruling), ("signature", inert(sheet.signature))):
        ET.SubElement(properties, "property", {"name": name, "value": value})
    for c in sheet.cases:
        named = {"name": inert(c.name), "classname": inert(c.group)}
        case = ET.SubElement(suite, "testcase", named)
        message = inert(c.message)
        if c.ruling != "pass":
            said = {"message": message, "type": c.verdict}
            ET.SubElement(case, c.ruling, said).text = inert_text(c.explanation)
        ET.SubElement(case, "system-out").text = message
    ET.indent(root)
    return _NOT_XML.sub("\ufffd", ET.tostring(root, encoding="unicode", xml_declaration=True))
