package org.rowlock.internal.observe;

import java.util.List;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;

/** A JFR event of some keys. */
abstract class KeysEvent extends Event {
    @Label("Key")
    @Description("The first key")
    String key = "";

    @Label("Keys")
    @Description("The number of distinct keys")
    int keys;

    @Label("Mode")
    String mode = "";

    /** Ends it, and reports whether a recording takes it. If none does, no text is made of the key. */
    final boolean isTaken(List<LockKey> all, RowLockMode strongest) {
        end();
        if (!shouldCommit()) {
            return false;
        }
        key = all.isEmpty() ? "" : all.get(0).toString();
        keys = all.size();
        mode = strongest.name();
        return true;
    }
}
