"""§2.1.3: the record of what was said and done, word for word."""

from tests.source_documents.document_000.a_merge import FIRST
from tests.source_documents.document_000.a_task import (
    GUIDE_URI,
    PLAN,
    TRANSCRIPT,
)
from tests.source_documents.document_000.scenes import merge, task
from tests.source_documents.requirement import row

TREE = [
    row(
        "§2.1.3",
        "The original interactions are kept word for word",
        "core/bank/interaction_tree.py",
        task(lambda t: t.record.interactions[0].text == TRANSCRIPT),
    ),
    row(
        "§2.1.3",
        "A record is read-only: it is never written twice, nor changed by a merge",
        "core/bank/interaction_tree.py",
        "conformance/test_store_steps.py::test_an_interaction_is_never_written_twice",
    ),
    row(
        "§2.1.3",
        "Every node has one record or several",
        "core/bank/interaction_tree.py",
        task(lambda t: (len(t.record.interactions), len(t.kept.interactions)) == (1, 3)),
    ),
    row(
        "§2.1.3",
        "A record's text is whole: reasoning, tool calls and what came back",
        "core/usecases/bank/record.py",
        task(
            lambda t: all(
                word in t.record.interactions[0].text for word in ("Thought:", "Action:", "Observation:")
            )
        ),
    ),
    row(
        "§2.1.3",
        "A text of several topics is one record, which leads to each of its nodes",
        "core/bank/interaction_tree.py",
        merge(lambda m: [(r.text, len(r.node_ids)) for r in m.record.interactions] == [(FIRST, 2)]),
    ),
    row(
        "§2.1.3",
        "Files of users and tools are kept beside the text, as its attachments",
        "core/usecases/bank/verbs/upload_attachment.py",
        task(lambda t: t.picture.content == PLAN),
    ),
    row(
        "§2.1.3",
        "What a tool returned in words stands in the text; the file is optional",
        "core/model/interaction.py",
        task(
            lambda t: (
                "open until 17:00" in t.record.interactions[0].text and not t.kept.interactions[1].attachments
            )
        ),
    ),
    row(
        "§2.1.3",
        "Attachments are images, documents, code, or of another type",
        "core/model/interaction.py",
        task(
            lambda t: [a.type for a in t.record.interactions[0].attachments] == ["image", "document", "code"]
        ),
    ),
    row(
        "§2.1.3",
        "An attachment has an id that the text cites",
        "core/model/interaction.py",
        task(lambda t: f"[{t.record.interactions[0].attachments[0].attachment_id}]" in TRANSCRIPT),
    ),
    row(
        "§2.1.3",
        "An attachment is a path or URI, never the bytes",
        "core/model/interaction.py",
        task(
            lambda t: (
                [a.uri.partition(":")[0] for a in t.record.interactions[0].attachments]
                == ["blob", "https", "file"]
                and t.record.interactions[0].attachments[1].uri == GUIDE_URI
            )
        ),
    ),
    row(
        "§2.1.3",
        "Only what was chosen to be kept is kept",
        "service/cli",
        "service/cli/test_commands.py::test_files_that_a_text_names_are_attached_to_it_and_others_get_a_line",
    ),
    row(
        "§2.1.3",
        "Files are read through their path, in parts",
        "core/usecases/bank/verbs/read_attachment.py",
        "service/api/test_deep_retrieval.py::test_a_file_is_read_back_from_any_offset",
    ),
]
