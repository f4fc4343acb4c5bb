package org.rowlock.doctor;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.guard.AuditedTable;
import org.rowlock.guard.StrayWriter;

/** Who writes to audited tables without locking, which stands between them and ADVISORY. */
final class AuditFindings {
    private AuditFindings() {}

    static Section of(Audit audit) {
        List<Finding> findings = new ArrayList<>();
        for (AuditedTable table : audit.tables()) {
            List<StrayWriter> writers = audit.writersOf(table);
            Finding finding = Finding.of(
                    !writers.isEmpty(),
                    Figures.count(writers.size()),
                    (writers.size() == 1 ? "writer of " : "writers of ") + table.table() + " without its lock since "
                            + minute(table.since())
                            + (table.sample() < 1
                                    ? ", as far as " + Figures.percent(table.sample()) + " of the statements tell"
                                    : "")
                            + (table.isEnabled() ? "" : "; the audit is switched off now"));
            for (StrayWriter writer : writers) {
                finding = finding.with(
                        writer.role() + (writer.application().isEmpty() ? "" : ", " + writer.application()),
                        Figures.statement(SqlText.normalize(writer.query())) + " (last seen "
                                + minute(writer.lastSeen()) + ")");
            }
            findings.add(finding);
        }
        return new Section("Writers that do not lock through Rowlock (its audit)", findings);
    }

    static List<Advice> advice(Audit audit) {
        List<Advice> advice = new ArrayList<>();
        for (AuditedTable table : audit.tables()) {
            int writers = audit.writersOf(table).size();
            if (writers > 0) {
                advice.add(new Advice(
                        table.table(),
                        "Not ADVISORY without a guard: let its other writers lock first.",
                        Figures.count(writers) + (writers == 1 ? " writer does" : " writers do")
                                + " not lock through Rowlock, as listed above. At ADVISORY a write of theirs can be lost, or"
                                + " lose another's; with the guard it is refused while somebody holds the row."));
            }
        }
        return advice;
    }

    private static Instant minute(Instant time) {
        return time.truncatedTo(ChronoUnit.MINUTES);
    }
}
