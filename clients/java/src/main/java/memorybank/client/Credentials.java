package memorybank.client;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.regex.Pattern;

/** The client's own credential, and what it takes for the server's. A key leaves this machine over TLS alone. */
final class Credentials {
  private static final String KEY_FILE_VARIABLE = "MEMORYBANK_API_KEY_FILE";
  private static final String CA_VARIABLE = "MEMORYBANK_TLS_CA";
  private static final String SYSTEM = "system";
  private static final Pattern KEY = Pattern.compile("[!-~]{1,4096}");
  private static final Pattern NUMERIC = Pattern.compile("[0-9.]+|[0-9a-fA-F:]+");

  private Credentials() {}

  /** Returns how the connection is encrypted, or that it is not. */
  static ChannelCredentials transport(Path given) throws IOException {
    String file = given != null ? given.toString() : System.getenv(CA_VARIABLE);
    if (file == null || file.isEmpty()) {
      return InsecureChannelCredentials.create();
    }
    return file.equals(SYSTEM)
        ? TlsChannelCredentials.create()
        : TlsChannelCredentials.newBuilder().trustManager(Path.of(file).toFile()).build();
  }

  /** Returns the API key that goes with every call; empty: none. */
  static String key(Path given, String target, ChannelCredentials transport, boolean plaintextKey) throws IOException {
    String file = given != null ? given.toString() : System.getenv(KEY_FILE_VARIABLE);
    if (file == null || file.isEmpty()) {
      return "";
    }
    String key = read(Path.of(file));
    if (transport instanceof InsecureChannelCredentials && !plaintextKey && !isWithinMachine(target)) {
      throw new IllegalArgumentException(
          "the API key would reach " + target + " unencrypted: name the server's authorities with caFile (" + CA_VARIABLE
              + "), or say plaintextKey where a proxy on the way encrypts");
    }
    return key;
  }

  private static String read(Path file) throws IOException {
    if (Files.getFileStore(file).supportsFileAttributeView("posix")) {
      var others = EnumSet.allOf(PosixFilePermission.class);
      others.removeIf(each -> each.name().startsWith("OWNER"));
      others.retainAll(Files.getPosixFilePermissions(file));
      if (!others.isEmpty()) {
        throw new IllegalArgumentException(file + " holds an API key, and others can read it: chmod 600 " + file);
      }
    }
    String key = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
    if (!KEY.matcher(key).matches()) {
      throw new IllegalArgumentException(
          file + ": an API key is one word of printable ASCII, as `memorybank keys create` shows it");
    }
    return key;
  }

  /** Tells whether what is sent to a target stays on this machine, for all that its name tells. */
  static boolean isWithinMachine(String target) {
    if (target.startsWith("unix:") || target.startsWith("unix-abstract:")) {
      return true;
    }
    String host =
        target
            .replaceFirst("^(?:dns:(?://[^/]*)?/?|ipv4:|ipv6:)", "")
            .replaceFirst(":\\d+$", "")
            .replaceAll("^\\[|]$", "");
    if (host.equals("localhost")) {
      return true;
    }
    try {
      return NUMERIC.matcher(host).matches() && InetAddress.getByName(host).isLoopbackAddress();
    } catch (java.net.UnknownHostException unknown) {
      return false;
    }
  }
}
