package org.rowlock.doctor;

import static org.rowlock.doctor.Threshold.*;

import java.util.List;
import java.util.Optional;
import org.rowlock.doctor.Seen.TableUse;

record StatementRules(Rules rules, Seen seen, LockingStatement statement) {
    void advise() {
        boolean isMuch = statement.walShare() >= WAL_SHARE || seen.multixacts() >= MULTIXACTS_PER_SECOND;
        if (statement.isShared() && statement.callBytes() >= WAL_PER_CALL && isMuch) {
            // A holder with a shared lock only reads the row, and makes writers wait.
            double behind = seen.tables().stream()
                    .filter(table -> statement.locks(table.name()))
                    .mapToDouble(table -> table.waiting() * table.sharingShare())
                    .sum();
            rules.advise(
                    "share",
                    statement.subject(),
                    statement.query(),
                    Math.max(statement.sessions(), CAUSE * behind),
                    statement);
        }
        if (statement.sessions() < FELT_SESSIONS || statement.blocksPerRow() < BLOCKS_PER_CLAIM) {
            return;
        }
        if (StatementKind.skipsLocked(statement.query())) {
            rules.advise("claim", statement.subject(), statement.query(), statement.sessions(), statement);
        } else {
            scanned().ifPresent(scan -> {
                double gain = CAUSE * Math.max(statement.sessions(), seen.rowWaits());
                rules.advise("missing-index", scan.table(), statement.query(), gain, scan, statement);
            });
        }
    }

    /**
     * Returns a table that each call scans sequentially: preferably a table that the statement locks, otherwise a table
     * with an unindexed foreign key.
     */
    private Optional<TableUse> scanned() {
        List<TableUse> scans = seen.used().stream()
                .filter(each -> each.scannedRows() >= LONG_SCAN && each.scans() >= SCANS_PER_CALL * statement.calls())
                .toList();
        return scans.stream()
                .filter(each -> statement.locks(each.table()))
                .findFirst()
                .or(() -> scans.stream().filter(TableUse::lacksIndex).findFirst());
    }
}
