package org.rowlock.internal.text;

import java.util.List;
import java.util.stream.Collectors;
import org.rowlock.LockKey;

/** Whether messages contain the values of ids, or omit them to keep them out of logs. */
public enum KeyNames {
    /** Messages contain the id, such as {@code account[42]}. */
    WITH_IDS,

    /** Messages omit the id, such as {@code account[?]}. */
    WITHOUT_IDS;

    public String of(LockKey key) {
        if (this == WITH_IDS) {
            return key.toString();
        }
        String text = key.toString();
        return key instanceof LockKey.Row row ? row.table() + "[?]" : text.substring(0, text.indexOf('[')) + "[?]";
    }

    public String of(String idText) {
        return '"' + (this == WITH_IDS ? idText : "?") + '"';
    }

    public String of(List<String> id) {
        return id.stream().map(this::of).collect(Collectors.joining(", "));
    }
}
