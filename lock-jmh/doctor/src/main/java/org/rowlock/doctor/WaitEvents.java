package org.rowlock.doctor;

/** What a wait event means to somebody who thinks of row locks. */
final class WaitEvents {
    static final String MULTIXACT = "LWLock:MultiXact";
    static final String LOCK_MANAGER = "LWLock:LockManager";

    private WaitEvents() {}

    static String meaning(String event) {
        if (event.startsWith(MULTIXACT)) {
            return "looking up or storing who shares a row";
        }
        return switch (event) {
            case Activity.RUNNING -> "at work, no wait";
            case "Lock:tuple" -> "in the queue for a row, behind its first waiter";
            case "Lock:transactionid" -> "for the transaction that holds a row or a unique key";
            case "Lock:advisory" -> "for an advisory lock";
            case "Lock:relation" -> "for a table lock (DDL, LOCK TABLE); no row lock";
            case "Lock:extend", "IO:DataFileExtend" -> "for a table to grow; no row lock";
            case "Lock:virtualxid" -> "for old transactions to end (CREATE INDEX CONCURRENTLY)";
            case LOCK_MANAGER, "LWLock:LockFastPath" -> "in the lock table itself, where advisory locks are too";
            case "LWLock:BufferMapping" -> "finding pages in shared_buffers; no row lock";
            case "LWLock:BufferContent" -> "for a page that another session changes";
            case "LWLock:ProcArray" -> "to take a snapshot or end a transaction";
            case "IPC:ProcArrayGroupUpdate", "IPC:ProcarrayGroupUpdate" -> "to end a transaction, together with others";
            case "LWLock:XidGen" -> "to get an xid, as row locks need one";
            case "LWLock:WALWrite", "LWLock:WALInsert", "IO:WALSync", "IO:WalSync", "IO:WALWrite", "IO:WalWrite" ->
                "to write the WAL";
            case "IO:DataFileRead" -> "to read the disk";
            case "IPC:SyncRep" -> "for a synchronous standby";
            case "Client:ClientRead" -> "for the client's next message";
            case "Client:ClientWrite" -> "for the client to take its result";
            case "Timeout:SpinDelay" -> "for a spinlock";
            case "Timeout:PgSleep" -> "in pg_sleep";
            default -> "";
        };
    }
}
