package org.rowlock.doctor;

import static org.rowlock.doctor.Threshold.*;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Diagnosis.Kind;
import org.rowlock.doctor.Seen.TableUse;
import org.rowlock.doctor.Table.Of;

final class Rules {
    private final Seen seen;
    private final List<Advice> advice = new ArrayList<>();

    private Rules(Seen seen) {
        this.seen = seen;
    }

    /** Returns the advice. The advice with the largest gain comes first. */
    static List<Advice> advice(Seen seen, Kind kind) {
        Rules rules = new Rules(seen);
        rules.horizon();
        if (kind != Kind.STANDBY) {
            rules.causes();
            if (kind == Kind.HURT || kind == Kind.FELT) {
                seen.tables().stream()
                        .filter(table -> table.waiting() >= FELT_SESSIONS && table.waitShare() >= TABLE_SHARE)
                        .forEach(table -> new TableRules(rules, seen, table).advise());
            }
            rules.otherWaits();
            seen.locking().forEach(each -> new StatementRules(rules, seen, each).advise());
            rules.server();
        }
        Set<List<String>> told = new HashSet<>();
        return rules.advice.stream()
                .sorted(Comparator.comparingDouble(Advice::gain).reversed())
                .filter(each -> told.add(List.of(each.subject(), each.action())))
                .toList();
    }

    /**
     * Adds advice.
     *
     * @param form the name of the rule's text in words.properties, such as "convoy" or "horizon.open"
     * @param gain the gain, as in {@link Advice}
     * @param about sources of figures for the text, which take precedence over the observations
     */
    void advise(String form, String subject, @Nullable String statement, double gain, Object... about) {
        String rule = form.split("\\.", 2)[0];
        Object[] sources =
                Stream.concat(Stream.of(about), Stream.of(seen, seen.server())).toArray();
        advice.add(new Advice(
                rule,
                subject,
                Figures.words(form + ".do", sources),
                Figures.words(rule + ".seen", sources),
                Figures.words(rule + ".why"),
                statement,
                gain));
    }

    /** Returns the name of the rule's text for these statements. If there is none, returns the name of the rule. */
    private static String form(String rule, String statements) {
        return new TreeSet<>(Figures.WORDS)
                .stream()
                        .filter(key -> key.startsWith(rule + '.') && !key.equals(rule + ".do"))
                        .map(key -> key.substring(0, key.lastIndexOf('.')))
                        .filter(form -> StatementKind.runs(statements, form.substring(rule.length() + 1)))
                        .findFirst()
                        .orElse(rule);
    }

    private void horizon() {
        // On a standby without feedback, a query does not hold back vacuum.
        if (!seen.server().standby() || seen.server().standbyFeedback()) {
            // In a benchmark, an old snapshot cut the rate of zipfian updates to a sixth. Removing the snapshot would
            // therefore free five sixths of the busy sessions.
            double gain = CAUSE * seen.busySessions() * 5 / 6;
            seen.horizon().stream()
                    .filter(seen::isOld)
                    .filter(each -> seen.blockers().stream().noneMatch(blocker -> blocker.isTold(each.name())))
                    .forEach(each -> advise("horizon." + each.form(), "vacuum horizon", each.query(), gain, each));
        }
    }

    /** Advises on causes of waits. Such advice ranks above advice that only shortens waits. */
    private void causes() {
        if (seen.lockTable() != null && seen.lockTableShare() >= LOCK_TABLE_SHARE) {
            // If the lock table is full, the locks of every session fail.
            double gain = CAUSE * seen.busySessions() + 1;
            advise("lock-table", "lock table", seen.lockTable().query(), gain, seen.lockTable());
        }
        deadlocks();
        seen.blockers().stream().filter(Blocker::isHanging).forEach(each -> {
            String form = form("blocker." + each.form(), String.valueOf(each.query()));
            // Hanging sessions rank above other causes.
            advise(form, each.subject(), each.subjectQuery(), CAUSE * (seen.busySessions() + each.waiting()), each);
        });
        if (seen.lockTable() != null && seen.lockTable().kept() >= KEPT_LOCKS) {
            advise("kept-locks", "advisory locks", null, CAUSE * FELT_SESSIONS, seen.lockTable());
        }
        if (seen.connectionShare() >= CONNECTION_SHARE) {
            advise("connections", "connections", null, CAUSE * FELT_SESSIONS);
        }
        double behindStandby = seen.busy().getOrDefault(Wait.STANDBY, 0.0);
        if (seen.server().isStandbyGone() && behindStandby > 0) {
            double gain = CAUSE * (behindStandby + seen.rowWaits());
            advise("standby-gone", "server", null, gain, Map.of("waiting", behindStandby));
        }
        storms();
    }

    private void deadlocks() {
        Optional<Table> met = seen.tables().stream()
                .filter(table -> table.deadlocked() > 0)
                .max(Comparator.comparingLong(Table::deadlocked));
        if (seen.deadlocks() > 0 || met.isPresent()) {
            // Both sessions of a deadlock wait for deadlock_timeout, which is a second by default.
            double gain = Math.max(
                    2 * seen.deadlocks() / Math.max(1, seen.seconds()),
                    met.map(Table::waiting).orElse(0.0));
            advise(
                    met.filter(Table::isShared).isPresent() ? "deadlocks.upgrade" : "deadlocks.order",
                    met.map(Table::name).orElse("deadlocks"),
                    met.map(table -> table.most(Of.STATEMENT)).orElse(null),
                    CAUSE * gain);
        }
    }

    private void storms() {
        double rollbacks = seen.perSecond("rollbacks");
        double share = rollbacks / seen.perSecond("transactions");
        if (rollbacks < ROLLBACKS_PER_SECOND || share < ROLLBACK_SHARE) {
            return;
        }
        double failing = CAUSE * seen.busySessions() * share;
        double cause = Math.max(CAUSE * (seen.rowWaits() + FELT_SESSIONS), failing);
        if (seen.nowait() != null) {
            advise("nowait-storm", "rollbacks", seen.nowait(), cause, seen.perSecond());
        } else if (seen.sessions("aborted") * seen.samples() >= 1) {
            // A snapshot held between statements does not prove SERIALIZABLE, because any JDBC session can hold such a
            // snapshot. Only predicate locks prove SERIALIZABLE. Few such sessions cannot cause the whole storm.
            String form = seen.sessions("serializable") > MOST * seen.sessions("in transaction")
                    ? "serialization"
                    : seen.sessions("waits given up") > 0 ? "rollbacks.timeout" : "rollbacks.any";
            String statement =
                    seen.tables().isEmpty() ? null : seen.tables().get(0).most(Of.STATEMENT);
            advise(form, "rollbacks", statement, form.contains(".") ? failing : cause, seen.perSecond());
        }
    }

    private void otherWaits() {
        Map<String, Double> others = new TreeMap<>(seen.busy());
        others.keySet().removeIf(event -> !event.startsWith("Lock:") || event.equals("Lock:tuple"));
        // Sessions that wait for a row have this event too. The server shows events and locks at different times, so a
        // difference between the two counts proves nothing.
        others.put("Lock:transactionid", seen.sessions("key waits"));
        others.forEach(this::other);
    }

    private void other(String event, double waiting) {
        String type = event.substring("Lock:".length());
        List<Blocker> behind = seen.blockers().stream()
                .filter(each -> (each.lock() + ' ').startsWith(type + ' '))
                .toList();
        double behindHanging = behind.stream()
                .filter(Blocker::isHanging)
                .mapToDouble(Blocker::waiting)
                .sum();
        double explained = type.equals("transactionid") ? behindHanging - seen.rowWaits() : behindHanging;
        double share = waiting / seen.busySessions();
        if (waiting - Math.max(0, explained) < OTHER_SESSIONS || share < HURT_SHARE) {
            return;
        }
        String known = "other." + (behind.isEmpty() ? type : behind.get(0).lock()).replace(' ', '-');
        String statement = behind.isEmpty() ? null : behind.get(0).query();
        String statements = behind.stream()
                .map(each -> each.query() + "; " + each.firstQuery())
                .collect(Collectors.joining("; "));
        String form = form(Figures.WORDS.contains(known + ".do") ? known : "other.lock", statements);
        String wanted = behind.isEmpty() ? "" : behind.get(0).wanted();
        Map<String, Object> about = Map.of("waiting", waiting, "waitingShare", share, "wanted", wanted);
        advise(form, event, statement, waiting, about);
    }

    private void server() {
        seen.strayWriters().forEach((table, writers) -> {
            String number = writers.size() == 1 ? "1 writer does" : writers.size() + " writers do";
            advise("stray-writers", table, writers.get(0), 0, Map.of("writers", number));
        });
        double inMultixacts = seen.busyIn("LWLock:MultiXact");
        if ((seen.multixacts() >= MULTIXACTS_PER_SECOND || inMultixacts >= LWLOCK_SHARE)
                && seen.tables().stream().noneMatch(TableRules::starvesForeignKeys)
                && seen.locking().stream().noneMatch(LockingStatement::isShared)) {
            advise("multixacts", "server", null, 0, Map.of("inMultixactsShare", inMultixacts));
        }
        seen.used().stream()
                .filter(this::isNeglected)
                .forEach(table -> advise("vacuum", table.table(), null, FELT_SESSIONS, table));
    }

    private boolean isNeglected(TableUse table) {
        return table.isBloated()
                && (table.vacuumedSeconds() == null || table.vacuumedSeconds() >= OLD_HORIZON_SECONDS)
                && seen.horizon().stream().noneMatch(seen::isOld);
    }
}
