package org.rowlock.testing;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Extracts the executed SQL from the bytes that a client sends, including the SQL of statements prepared earlier.
 *
 * @see <a href="https://www.postgresql.org/docs/current/protocol-message-formats.html">Message formats</a>
 */
final class FrontendSql {
    private static final int STARTUP = 3 << 16;

    private final Map<String, String> prepared = new HashMap<>();
    private byte[] rest = new byte[0];
    private boolean started;

    /** Takes the next bytes from the client, and returns the statements that these bytes execute. */
    List<String> read(ByteBuffer sent) {
        ByteBuffer bytes = ByteBuffer.allocate(rest.length + sent.remaining());
        bytes.put(rest).put(sent.duplicate()).flip();
        List<String> executed = new ArrayList<>();
        while (isWhole(bytes)) {
            if (started) {
                readMessage(bytes, executed);
            } else {
                readFirst(bytes);
            }
        }
        rest = Arrays.copyOfRange(bytes.array(), bytes.position(), bytes.limit());
        return executed;
    }

    /**
     * Whether the buffer has a complete message. Messages of the session begin with a type, and earlier messages begin
     * with their length.
     */
    private boolean isWhole(ByteBuffer bytes) {
        int type = started ? 1 : 0;
        return bytes.remaining() >= type + 4 && bytes.remaining() >= type + bytes.getInt(bytes.position() + type);
    }

    private void readFirst(ByteBuffer bytes) {
        int end = bytes.position() + bytes.getInt(bytes.position());
        started = bytes.getInt(bytes.position() + 4) == STARTUP;
        bytes.position(end);
    }

    private void readMessage(ByteBuffer bytes, List<String> executed) {
        byte type = bytes.get();
        int end = bytes.position() + bytes.getInt();
        switch (type) {
            case 'Q' -> executed.add(text(bytes));
            case 'P' -> prepared.put(text(bytes), text(bytes));
            case 'B' -> {
                text(bytes);
                executed.add(prepared.getOrDefault(text(bytes), ""));
            }
            default -> {}
        }
        bytes.position(end);
    }

    private static String text(ByteBuffer bytes) {
        int start = bytes.position();
        while (bytes.get() != 0) {
            // A zero byte ends a text.
        }
        return new String(bytes.array(), start, bytes.position() - start - 1, StandardCharsets.UTF_8);
    }
}
