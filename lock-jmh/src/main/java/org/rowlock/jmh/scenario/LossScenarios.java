package org.rowlock.jmh.scenario;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.rowlock.jmh.bench.LockLossBenchmark;

/** What becomes of locks when the server does not survive. */
final class LossScenarios {
    private LossScenarios() {}

    static Scenario lockLoss() {
        return new Scenario(
                "lock-loss",
                "The server is killed while 10,000 locks are held",
                "Transactions hold 10,000 locks with work that is not committed, 10 clients wait for such locks, and 10 others"
                        + " commit all the time. Then the server is killed (SIGKILL) and started again; the clients try"
                        + " until it is back, and the old holders try to commit. In the end the server is compared with"
                        + " what the clients were told: each lock is a fencing token to be raised by one. A double entry"
                        + " is a lock that was given while somebody was inside it whose transaction did commit; a lost"
                        + " update is a raise that is missing. One of either fails the run. A server with a smaller lock"
                        + " table is asked for fewer locks: see the number held.",
                "TiDB: an in-memory lock that is lost at a leader change lets a second transaction in.",
                LockLossBenchmark.class,
                "locks",
                List.of(Point.of("10,000", 1, Map.of("locks", "10000"))),
                false,
                List.of("ROW", "BOTH", "ADVISORY", "ROW+admission", "BOTH+admission", "ADVISORY+admission"),
                "ROW",
                List.of(
                        new Metric(Metric.SCORE, "from the kill to the first lock given", "ms", Metric.Better.LOWER),
                        Metric.percentile("firstGrant", "0.50", "first lock given, from connecting"),
                        Metric.percentile("allGranted", "0.50", "from the first connection until all are held again"),
                        new Metric("doubleEntries", "double entries", "", Metric.Better.LOWER),
                        new Metric("lostUpdates", "lost updates", "", Metric.Better.LOWER),
                        new Metric("lostCommits", "acknowledged commits lost", "", Metric.Better.LOWER),
                        new Metric("commits", "commits compared", "", Metric.Better.NEITHER),
                        new Metric("unanswered", "commits never answered", "", Metric.Better.NEITHER),
                        new Metric("locksHeld", "locks held at the kill", "", Metric.Better.NEITHER)),
                List.of(
                        new Chart(Chart.Kind.BARS, Metric.SCORE, "From the kill to the first lock given"),
                        new Chart(
                                Chart.Kind.BARS,
                                "allGranted:p0.50",
                                "From the first connection until all are held again")),
                Scenario.Rhythm.single(3),
                Map.of(),
                Set.of(Scenario.Need.MAY_BE_KILLED));
    }
}
