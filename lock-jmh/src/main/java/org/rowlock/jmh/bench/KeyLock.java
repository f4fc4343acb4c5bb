package org.rowlock.jmh.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.rowlock.LockResult;
import org.rowlock.RowLocks;

/** Locks by an id: through Rowlock, or as hand-written SQL makes its keys. Thread-safe. */
final class KeyLock {

    /** The ways. */
    enum Form {
        /** {@code SELECT ... FOR UPDATE}, written by hand. */
        FOR_UPDATE,
        /** Rowlock with the strategy of that name. */
        ROW,
        BOTH,
        ADVISORY,
        /** By hand: the pair of the table's OID and the id, or the id's hashtext where it is no int4. */
        PAIR,
        /** By hand: 64 bits of the md5 of table and id. */
        MD5,
        /** By hand: the 32 bits of hashtext of table and id, in which different ids soon meet. */
        HASHTEXT,
        /** No lock. Never compared; shows that the check notices. */
        NONE,
        /** One lock for all. Never compared; shows that the check notices. */
        SAME
    }

    private final Form form;
    private final KeyForm id;
    private final RowLocks locks;
    private final String sql;

    KeyLock(String variant, KeyForm id) {
        this.form = Forms.parse(Form.class, variant);
        this.id = id;
        this.locks = switch (form) {
            case ROW, BOTH, ADVISORY -> Forms.locks(form.name()).build();
            default -> RowLocks.create();
        };
        String pair = "select pg_advisory_xact_lock('" + id.table() + "'::regclass::oid::int4, ";
        this.sql = switch (form) {
            case PAIR -> pair + (id == KeyForm.INT ? "?)" : "hashtext(?))");
            case MD5 -> "select pg_advisory_xact_lock(('x' || substr(md5(?), 1, 16))::bit(64)::bigint)";
            case HASHTEXT -> "select pg_advisory_xact_lock(hashtext(?))";
            case SAME -> "select pg_advisory_xact_lock(length(?) * 0)";
            case FOR_UPDATE -> "select 1 from " + id.table() + " where " + id.condition() + " for update";
            default -> "";
        };
    }

    /** Locks in the connection's transaction, and waits as long as it takes. */
    void lock(Connection connection, Object value) throws SQLException {
        switch (form) {
            case ROW, BOTH, ADVISORY -> {
                LockResult result = locks.in(connection).lock(id.key(value));
                if (!result.isLocked()) {
                    throw new InvariantViolation("there was no row " + value + " to lock");
                }
            }
            case FOR_UPDATE, PAIR, MD5, HASHTEXT, SAME -> execute(connection, value);
            case NONE -> {}
        }
    }

    private void execute(Connection connection, Object value) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(sql)) {
            switch (form) {
                case FOR_UPDATE -> KeyForm.bind(lock, value);
                case PAIR -> {
                    if (value instanceof Integer number) {
                        lock.setInt(1, number);
                    } else {
                        lock.setString(1, KeyForm.text(value));
                    }
                }
                default -> lock.setString(1, id.table() + ':' + KeyForm.text(value));
            }
            lock.execute();
        }
    }
}
