package memorybank.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a call speaks of, as keys of revisions: a bank by its id, any other memory as KIND/NAME. The service uses the same
 * names in its maps of revisions.
 */
final class Subjects {
  private static final String LONG_TERM = "memorybank/v1/long_term.proto";

  private Subjects() {}

  /** Returns the keys of what a request names; the first is the one whose revision is answered. */
  static List<String> of(Message request) {
    if (field(request, "min_revisions") != null) {
      return parts(request);
    }
    var descriptor = request.getDescriptorForType();
    String bank = text(request, "bank_id");
    if (!bank.isEmpty()) {
      return List.of(bank);
    }
    if (field(request, "owner") != null) {
      return List.of(instructions(request));
    }
    if (descriptor.getFile().getName().equals(LONG_TERM)) {
      return field(request, "collection") == null ? List.of() : List.of(collection(request));
    }
    String user = encoded(text(request, "user"));
    if (field(request, "invocation_id") != null) {
      // One that only begins has no id yet; the end of one answers another's revision.
      String name = descriptor.getName();
      if (name.equals("StartInvocationRequest") || name.equals("EndInvocationRequest")) {
        return List.of();
      }
      if (!text(request, "invocation_id").isEmpty()) {
        return List.of("invocation/" + user + "/" + text(request, "invocation_id"));
      }
    }
    String conversation = text(request, "conversation_id");
    return conversation.isEmpty() ? List.of() : List.of("conversation/" + user + "/" + conversation);
  }

  /** Returns the keys of a request of several parts. The bank of one that writes there is not asked for. */
  private static List<String> parts(Message request) {
    String user = encoded(text(request, "user"));
    String bank = text(request, "bank_id");
    boolean writes = field(request, "request_id") != null;
    List<String> found = new ArrayList<>();
    if (writes) {
      found.add(bank);
    }
    add(found, "conversation/" + user + "/", text(request, "conversation_id"));
    if (!writes) {
      add(found, "bank/", bank);
    }
    FieldDescriptor collection = field(request, "collection");
    if (collection != null && request.hasField(collection)) {
      found.add(collection(request));
    }
    add(found, "invocation/" + user + "/", text(request, "invocation_id"));
    FieldDescriptor refs = field(request, "refs");
    if (refs != null) {
      ((List<?>) request.getField(refs)).forEach(each -> found.add(instructions((Message) each)));
    }
    add(found, "run/" + user + "/", text(request, "run_id"));
    return found;
  }

  private static void add(List<String> found, String kind, String name) {
    if (!name.isEmpty()) {
      found.add(kind + name);
    }
  }

  /** Returns what a proxy may keep a call by: the bank, the user whose memory it is, or the owner of documents. */
  static String affinity(Message request, List<String> subjects) {
    String bank = text(request, "bank_id");
    if (!bank.isEmpty()) {
      return bank;
    }
    Message named = whole(whole(request, "user"), "collection"); // UpdateUser and UpdateCollection bring it whole
    String user = text(named, "user");
    if (!user.isEmpty()) {
      return "user/" + encoded(user);
    }
    return subjects.isEmpty() ? "" : subjects.get(0).replaceFirst("^instructions/", "");
  }

  /** Returns the key of the collection that a request is about. */
  private static String collection(Message request) {
    Message named = whole(request, "collection");
    return "collection/" + encoded(text(named, "user")) + "/" + encoded(text(named, "collection"));
  }

  /** Returns the key of the documents of the owner that a message names. */
  private static String instructions(Message message) {
    Message owner = (Message) message.getField(field(message, "owner"));
    FieldDescriptor level = owner.getOneofFieldDescriptor(owner.getDescriptorForType().getOneofs().get(0));
    if (level == null) {
      return "instructions//";
    }
    Object name = owner.getField(level);
    return "instructions/" + level.getName() + "/" + (name instanceof String text ? encoded(text) : "");
  }

  /** Returns the message in a field, where the field holds one; else the request itself. */
  private static Message whole(Message request, String name) {
    FieldDescriptor held = field(request, name);
    boolean isWhole = held != null && held.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
    return isWhole ? (Message) request.getField(held) : request;
  }

  /** Returns a name in a key: percent-encoded outside {@code [A-Za-z0-9._:-]}. */
  static String encoded(String name) {
    StringBuilder made = new StringBuilder();
    for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
      boolean plain =
          '0' <= each && each <= '9' || 'A' <= each && each <= 'Z' || 'a' <= each && each <= 'z' || "._:-".indexOf(each) >= 0;
      made.append(plain ? String.valueOf((char) each) : String.format("%%%02X", each & 0xff));
    }
    return made.toString();
  }

  static FieldDescriptor field(Message message, String name) {
    return message.getDescriptorForType().findFieldByName(name);
  }

  /** Returns a field of text; empty where the message has none of the name. */
  static String text(Message message, String name) {
    FieldDescriptor named = field(message, name);
    boolean isText = named != null && named.getJavaType() == FieldDescriptor.JavaType.STRING && !named.isRepeated();
    return isText ? (String) message.getField(named) : "";
  }
}
