"""Reads a set in the form of docs/evaluation.md.

Law: the form is checked whole; an unknown field, an id that comes twice or evidence that is not there is an
error that names its place.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from core.ids import ID_PATTERN, InteractionId
from core.text.segmenting import WHOLE_MESSAGE
from core.usecases.bank.record import Context, Message
from evaluation.sets import EvaluationSet, Question, SetUnusable, World, repeated


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


Id = Annotated[str, Field(pattern=rf"^{ID_PATTERN.pattern}$")]
Text = Annotated[str, AfterValidator(_not_blank)]


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MessageForm(Form):
    message_id: Id
    text: Annotated[Text, Field(max_length=WHOLE_MESSAGE)]
    speaker: str = ""
    role: str = ""
    event_time: AwareDatetime | None = None


class InteractionForm(Form):
    interaction_id: Id
    kind: Literal["dialogue", "document"] = "dialogue"
    event_time: AwareDatetime
    messages: Annotated[tuple[MessageForm, ...], Field(min_length=1)]


class QuestionForm(Form):
    question_id: Id
    text: Text
    category: Text
    evidence: Annotated[tuple[Id, ...], Field(min_length=1)]
    hard_negatives: tuple[Id, ...] = ()
    answer: str = ""
    language: str = ""
    apart: bool = False


class WorldForm(Form):
    world_id: Id
    interactions: Annotated[tuple[InteractionForm, ...], Field(min_length=1)]
    questions: tuple[QuestionForm, ...]


class SetForm(Form):
    name: Text
    language: str = ""
    worlds: Annotated[tuple[WorldForm, ...], Field(min_length=1)]


def read(text: str) -> EvaluationSet:
    """Returns the set in a file's text. Raises SetUnusable."""
    try:
        form = SetForm.model_validate_json(text)
    except ValidationError as invalid:
        raise SetUnusable("\n".join(_explained(invalid))) from None
    if twice := repeated(world.world_id for world in form.worlds):
        raise SetUnusable(f"world_id {twice} comes twice")
    return EvaluationSet(
        name=form.name,
        language=form.language,
        worlds=tuple(_world(world, form.language) for world in form.worlds),
    )


def _explained(invalid: ValidationError) -> list[str]:
    return [f"{'.'.join(map(str, error['loc'])) or 'file'}: {error['msg']}" for error in invalid.errors()]


def _world(form: WorldForm, language: str) -> World:
    messages = [message.message_id for each in form.interactions for message in each.messages]
    for name, ids in (
        ("interaction_id", [each.interaction_id for each in form.interactions]),
        ("message_id", messages),
        ("question_id", [each.question_id for each in form.questions]),
    ):
        if twice := repeated(ids):
            raise SetUnusable(f"world {form.world_id}: {name} {twice} comes twice")
    known = frozenset(messages)
    for question in form.questions:
        if missing := {*question.evidence, *question.hard_negatives} - known:
            raise SetUnusable(
                f"world {form.world_id}, question {question.question_id}: no message {sorted(missing)[0]}"
            )
    return World(
        world_id=form.world_id,
        contexts=tuple(_context(each) for each in form.interactions),
        questions=tuple(_question(each, language) for each in form.questions),
    )


def _context(form: InteractionForm) -> Context:
    return Context(
        messages=tuple(_message(message) for message in form.messages),
        event_time=form.event_time,
        interaction_id=InteractionId(form.interaction_id),
    )


def _message(form: MessageForm) -> Message:
    time: datetime | None = form.event_time
    return Message(
        text=form.text, message_id=form.message_id, role=form.role, speaker=form.speaker, event_time=time
    )


def _question(form: QuestionForm, language: str) -> Question:
    return Question(
        question_id=form.question_id,
        text=form.text,
        category=form.category,
        evidence=frozenset(form.evidence),
        hard_negatives=frozenset(form.hard_negatives),
        language=form.language or language,
        answer=form.answer,
        apart=form.apart,
    )
