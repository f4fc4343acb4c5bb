package org.rowlock.doctor;

import static org.rowlock.doctor.Threshold.*;

import java.util.List;
import java.util.Optional;
import org.rowlock.doctor.Seen.TableUse;

/** The rules about one statement that locks rows. */
final class StatementRules {
    private StatementRules() {}

    /** Advises what there is to do about it. */
    static void advise(Rules rules, Seen seen, LockingStatement each) {
        double multixacts = seen.perSecond("multixacts");
        if (each.mode().isShared()
                && each.walPerCall() >= WAL_PER_CALL
                && (each.walShare() >= WAL_SHARE || multixacts >= MULTIXACTS_PER_SECOND)) {
            rules.advise(
                    "share",
                    each.subject(),
                    each.sessions(),
                    each.sql(),
                    Figures.bytes(each.walPerCall()),
                    Figures.percent(each.walShare()),
                    Figures.number(multixacts));
        }
        if (each.sessions() < FELT_SESSIONS || each.blocksPerRow() < BLOCKS_PER_CLAIM) {
            return;
        }
        String blocks = Figures.number(each.blocksPerRow());
        String sessions = Figures.sessions(each.sessions());
        if (each.skipsLocked()) {
            rules.advise("claim", each.subject(), each.sessions(), each.sql(), blocks, sessions);
        } else {
            scanned(seen, each).ifPresent(scan -> {
                double gain = CAUSE * Math.max(each.sessions(), seen.rowWaits());
                String rows = Figures.number(scan.scannedRows());
                rules.advise("missing-index", scan.table(), gain, each.sql(), blocks, rows, sessions);
            });
        }
    }

    /** What the statement scans: its own table, or one whose foreign key leads to that without an index. */
    private static Optional<TableUse> scanned(Seen seen, LockingStatement statement) {
        List<TableUse> scans = seen.used().stream()
                .filter(each -> each.scannedRows() >= LONG_SCAN)
                .toList();
        return scans.stream()
                .filter(each -> statement.locks(each.table()))
                .findFirst()
                .or(() -> scans.stream().filter(TableUse::lacksIndex).findFirst());
    }
}
