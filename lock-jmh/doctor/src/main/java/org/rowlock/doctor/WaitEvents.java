package org.rowlock.doctor;

import java.util.List;

/** Wait events that matter here; the manual of PostgreSQL has all. */
final class WaitEvents {
    /** In place of a wait event: on a CPU, or waiting for one. */
    static final String RUNNING = "running";

    static final String MULTIXACT = "LWLock:MultiXact";
    static final String LOCK_MANAGER = "LWLock:LockManager";

    /** A commit waits for a synchronous standby. */
    static final String STANDBY = "IPC:SyncRep";

    private WaitEvents() {}

    /** Whether a transaction waits in it for its commit to be safe; PostgreSQL 17 spells some anew. */
    static boolean isCommit(String event) {
        return List.of(STANDBY, "IO:WALSync", "IO:WalSync", "IO:WALWrite", "IO:WalWrite", "LWLock:WALWrite")
                .contains(event);
    }
}
