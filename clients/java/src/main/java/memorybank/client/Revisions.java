package memorybank.client;

import java.util.LinkedHashMap;
import java.util.Map;

/** The highest revision seen of each bank or other memory, of those seen last. Threads may share it. */
final class Revisions {
  private static final int MOST = 10_000;

  private final Map<String, Long> seen =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MOST;
        }
      };

  /** Returns the highest revision seen of a subject; 0: none. */
  synchronized long of(String subject) {
    return seen.getOrDefault(subject, 0L);
  }

  synchronized void saw(String subject, long revision) {
    seen.merge(subject, revision, Math::max);
  }

  synchronized void forget(String subject) {
    seen.remove(subject);
  }
}
