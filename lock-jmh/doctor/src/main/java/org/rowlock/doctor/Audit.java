package org.rowlock.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.rowlock.guard.AuditedTable;
import org.rowlock.guard.RowLockGuard;
import org.rowlock.guard.StrayWriter;

/**
 * What Rowlock's audit of this database has noted.
 *
 * @param tables that are watched
 * @param writers that wrote without the lock
 */
record Audit(List<AuditedTable> tables, List<StrayWriter> writers) {
    static Audit read(Connection connection) throws SQLException {
        RowLockGuard guard = RowLockGuard.of(connection);
        return new Audit(guard.auditedTables(), guard.strayWriters());
    }

    boolean isOn() {
        return !tables.isEmpty();
    }

    List<StrayWriter> writersOf(AuditedTable table) {
        return writers.stream()
                .filter(writer -> writer.table().equals(table.table()))
                .toList();
    }
}
