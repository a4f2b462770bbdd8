"""Certificates: Lean files that prove which models give recorded answers, written from answers and judged by Lean."""

from attention_queries.lean.certificate.check import Verdict, check_certificate
from attention_queries.lean.certificate.document import Certificate
from attention_queries.lean.certificate.make import KINDS, certify
from attention_queries.lean.certificate.reading import parse_certificate, read_certificate

__all__ = ["KINDS", "Certificate", "Verdict", "certify", "check_certificate", "parse_certificate", "read_certificate"]
