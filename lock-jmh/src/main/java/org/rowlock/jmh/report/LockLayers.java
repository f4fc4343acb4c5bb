package org.rowlock.jmh.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.rowlock.jmh.run.Cell;
import org.rowlock.jmh.run.RunResults;
import org.rowlock.jmh.run.ScenarioResult;

/** PostgreSQL's layers of locks, what each strategy asks of them, and how many sessions were seen waiting there. */
final class LockLayers {
    private LockLayers() {}

    /**
     * A layer.
     *
     * @param name of it
     * @param what it is, and who needs it
     * @param events the wait events that show it
     * @param seen per strategy the most sessions at a time, on average, in any cell
     */
    record Layer(String name, String what, String events, List<String> seen) {}

    static List<String> strategies() {
        return List.of(VariantName.ROW, VariantName.BOTH, VariantName.ADVISORY);
    }

    static List<Layer> of(RunResults results) {
        return List.of(
                layer(
                        results,
                        "Spinlock",
                        "A few instructions long, around a single word of shared memory. Never held across anything that"
                                + " can wait, and seen only where processors fight for the same word.",
                        "Timeout:SpinDelay",
                        event -> event.equals("Timeout:SpinDelay")),
                layer(
                        results,
                        "LWLock: the lock table",
                        "Guards a partition of the table of heavyweight locks. Every advisory lock enters it; so does"
                                + " every transaction that takes an xid, as FOR UPDATE does, and every wait for a row.",
                        "LWLock:LockManager, LWLock:LockFastPath",
                        event -> event.equals("LWLock:LockManager") || event.equals("LWLock:LockFastPath")),
                layer(
                        results,
                        "LWLock: pages and WAL",
                        "Guards a page in memory while it is changed, and the WAL. A row lock is a change of the page and"
                                + " is logged; an advisory lock is neither.",
                        "LWLock:BufferContent, LWLock:WALInsert, LWLock:WALWrite, IO:WalSync",
                        event -> List.of(
                                        "LWLock:BufferContent",
                                        "LWLock:WALInsert",
                                        "LWLock:WALWrite",
                                        "IO:WalSync",
                                        "IO:WALSync")
                                .contains(event)),
                layer(
                        results,
                        "LWLock: transactions",
                        "Guards the list of running transactions. Every snapshot reads it, every end of a transaction with"
                                + " an xid changes it, and FOR UPDATE always takes an xid.",
                        "LWLock:ProcArray, LWLock:XidGen",
                        event -> event.equals("LWLock:ProcArray") || event.equals("LWLock:XidGen")),
                layer(
                        results,
                        "MultiXact",
                        "The list of transactions that hold one row together, as with FOR SHARE: on disk, and for vacuum"
                                + " to clean up. Advisory locks make none.",
                        "LWLock:MultiXact*",
                        event -> event.startsWith("LWLock:MultiXact")),
                layer(
                        results,
                        "Heavyweight lock: tuple",
                        "The first waiter for a row stands here, in front of all the others, so that one at a time goes"
                                + " on to wait for the holder.",
                        "Lock:tuple",
                        event -> event.equals("Lock:tuple")),
                layer(
                        results,
                        "Heavyweight lock: transactionid",
                        "Tuple header: who holds a row stands in the row itself, as an xid. To wait for a row is to wait for"
                                + " the end of that transaction.",
                        "Lock:transactionid",
                        event -> event.equals("Lock:transactionid")),
                layer(
                        results,
                        "Heavyweight lock: advisory",
                        "An entry in the lock table with a queue, and nothing else: one wait, one wake-up, first come first"
                                + " served.",
                        "Lock:advisory",
                        event -> event.equals("Lock:advisory")));
    }

    private static Layer layer(
            RunResults results, String name, String what, String events, Predicate<String> isOfLayer) {
        List<String> seen = new ArrayList<>();
        for (String strategy : strategies()) {
            seen.add(seen(results, strategy, isOfLayer));
        }
        return new Layer(name, what, events, seen);
    }

    private static String seen(RunResults results, String strategy, Predicate<String> isOfLayer) {
        boolean sampled = false;
        double most = 0;
        String where = "";
        for (ScenarioResult result : results.results()) {
            Optional<String> variant = VariantName.plain(result, strategy);
            for (Cell cell : result.cells()) {
                if (variant.isPresent()
                        && cell.variant().equals(variant.get())
                        && !cell.waits().isEmpty()) {
                    sampled = true;
                    double sessions = cell.waits().entrySet().stream()
                            .filter(wait -> isOfLayer.test(wait.getKey()))
                            .mapToDouble(wait -> wait.getValue())
                            .sum();
                    if (sessions > most) {
                        most = sessions;
                        where = " (" + result.scenario().name() + Words.at(result, List.of(cell.point())) + ")";
                    }
                }
            }
        }
        return sampled ? Numbers.sessions(most) + where : "not sampled";
    }
}
