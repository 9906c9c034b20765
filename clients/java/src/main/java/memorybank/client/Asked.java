package memorybank.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** One call as it goes out, and what is learned from its outcome. {@code revisions} null: reads ask for none. */
record Asked(Message message, List<String> subjects, String affinity, String requestId, Revisions revisions) {
  /** Reasons after which a subject's next read is not held to its past. */
  private static final Set<String> GONE =
      Set.of(
          "BANK_NOT_FOUND", "COLLECTION_NOT_FOUND", "CONVERSATION_NOT_FOUND", "INVOCATION_NOT_FOUND", "REVISION_NOT_REACHED");

  /** Completes a request, or the header that the first message of a streamed one brings. */
  static Asked of(Message message, boolean streamsUp, Revisions revisions) {
    FieldDescriptor part = streamsUp ? carrier(message) : null;
    Message header = part == null ? message : (Message) message.getField(part);
    List<String> subjects = Subjects.of(header);
    Message completed = completed(header, subjects, revisions);
    Message sent = part == null ? completed : message.toBuilder().setField(part, completed).build();
    String affinity = Subjects.affinity(header, subjects);
    return new Asked(sent, subjects, affinity, Subjects.text(completed, "request_id"), revisions);
  }

  private static Message completed(Message header, List<String> subjects, Revisions revisions) {
    Message.Builder made = header.toBuilder();
    FieldDescriptor requestId = Subjects.field(header, "request_id");
    if (requestId != null && Subjects.text(header, "request_id").isEmpty()) {
      made.setField(requestId, UUID.randomUUID().toString());
    }
    if (revisions == null) {
      return made.build();
    }
    FieldDescriptor least = Subjects.field(header, "min_revision");
    FieldDescriptor leastOfEach = Subjects.field(header, "min_revisions");
    if (leastOfEach != null) {
      askForEach(made, leastOfEach, subjects, revisions);
    } else if (least != null && !header.hasField(least) && !subjects.isEmpty()) {
      long seen = revisions.of(subjects.get(0));
      if (seen > 0) {
        made.setField(least, seen);
      }
    }
    return made.build();
  }

  private static void askForEach(Message.Builder made, FieldDescriptor field, List<String> subjects, Revisions revisions) {
    Map<String, Long> given = map(made.build(), field);
    for (String subject : subjects) {
      long seen = revisions.of(plain(subject));
      // A bank's own id is of a call that writes there.
      if (seen > 0 && subject.contains("/") && !given.containsKey(subject)) {
        var entry = ((MapEntry<?, ?>) made.newBuilderForField(field).build()).toBuilder();
        var type = field.getMessageType();
        entry.setField(type.findFieldByName("key"), subject);
        entry.setField(type.findFieldByName("value"), seen);
        made.addRepeatedField(field, entry.build());
      }
    }
  }

  /** Remembers the revisions that a response speaks of. */
  void answered(Message response) {
    if (revisions == null) {
      return;
    }
    FieldDescriptor each = Subjects.field(response, "revisions");
    if (each != null && each.isMapField()) {
      map(response, each).forEach((subject, seen) -> revisions.saw(plain(subject), seen));
    }
    String subject = subjects.isEmpty() || subjects.get(0).isEmpty() ? bankIn(response) : subjects.get(0);
    long revision = revisionIn(response);
    if (!subject.isEmpty() && revision > 0) {
      revisions.saw(subject, revision);
    }
  }

  /** Forgets what is gone, or begins anew. */
  void failed(MemoryBankException error) {
    if (revisions == null) {
      return;
    }
    if (GONE.contains(error.reason())) {
      subjects.forEach(subject -> revisions.forget(plain(subject)));
    } else if (error.reason().equals("STRUCTURING_FAILED") && !subjects.isEmpty()) { // what was done before stands
      revisions.saw(subjects.get(0), Long.parseLong(error.metadata().getOrDefault("revision", "0")));
    }
  }

  /** Returns the revision that a response tells, or the part of one that it brings; 0: none. */
  private static long revisionIn(Message response) {
    FieldDescriptor named = Subjects.field(response, "revision");
    if (named != null && named.getJavaType() == JavaType.LONG) {
      return (Long) response.getField(named);
    }
    FieldDescriptor part = carrier(response);
    return part != null && part.getContainingOneof() != null ? revisionIn((Message) response.getField(part)) : 0;
  }

  /** Returns the id of the bank that a call made, where its caller left that to the service. */
  private static String bankIn(Message response) {
    FieldDescriptor bank = Subjects.field(response, "bank");
    boolean isWhole = bank != null && bank.getJavaType() == JavaType.MESSAGE;
    return isWhole ? Subjects.text((Message) response.getField(bank), "bank_id") : "";
  }

  /** Returns the field of the one message that a message brings; null: it brings none. */
  private static FieldDescriptor carrier(Message message) {
    return message.getAllFields().keySet().stream()
        .filter(each -> each.getJavaType() == JavaType.MESSAGE && !each.isRepeated())
        .findFirst()
        .orElse(null);
  }

  private static Map<String, Long> map(Message message, FieldDescriptor field) {
    Map<String, Long> found = new TreeMap<>();
    for (Object each : (List<?>) message.getField(field)) {
      MapEntry<?, ?> entry = (MapEntry<?, ?>) each;
      found.put((String) entry.getKey(), (Long) entry.getValue());
    }
    return found;
  }

  private static String plain(String subject) {
    return subject.startsWith("bank/") ? subject.substring("bank/".length()) : subject;
  }
}
