"""The JSON Schemas of config.yaml, studies and corpora say of these files what the parser says of them.

`PARSER_ALONE` lists what only the parser can say. Everything else that one of the two refuses, the other refuses too.
"""

import copy
import dataclasses
import json
import re
import typing
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from borders.test_bad_settings import CASES
from generators.json_schemas import Definitions, parts_of
from generators.planned import OVERRIDES, WHOLE
from generators.schemas import FILES, schema
from helpers.every_kind import FIGURES, PASSAGES, SYSTEMS, TABLES
from helpers.form_cases import SMALLEST
from helpers.how_to import FENCE
from helpers.schema_files import refusals, validator, validator_of
from helpers.small_grid import CONFIG, CORPUS, small_project
from helpers.small_grid import SYSTEMS as SMALL_SYSTEMS
from helpers.support import ROOT, Project
from helpers.terms import settings_classes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from settings.test_values import test_refused as refused_values

from docmt.base import schemas
from docmt.base.checks import Checked
from docmt.base.errors import UserError
from docmt.base.parse import parse
from docmt.catalogue.corpus import load_corpus
from docmt.plan.grid import load_grid
