package org.rowlock.doctor;

import static org.rowlock.doctor.Threshold.*;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ResourceBundle;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.doctor.Diagnosis.Kind;
import org.rowlock.doctor.Seen.HorizonHolder;
import org.rowlock.doctor.Seen.LockTable;

/** What to do when. Its words are in rules.properties. What frees more sessions is advised first. */
final class Rules {
    private static final ResourceBundle WORDS = ResourceBundle.getBundle("org.rowlock.doctor.rules");

    private final Seen seen;
    private final List<Advice> advice = new ArrayList<>();

    private Rules(Seen seen) {
        this.seen = seen;
    }

    /** What to do, in this order. */
    static List<Advice> advice(Seen seen, Kind kind) {
        Rules rules = new Rules(seen);
        rules.horizon();
        if (kind != Kind.STANDBY) {
            rules.causes();
            rules.tables(kind);
            rules.otherWaits();
            seen.lockingStatements().forEach(each -> StatementRules.advise(rules, seen, each));
            rules.server(kind);
        }
        rules.advice.sort(Comparator.comparingDouble(Advice::gain).reversed());
        return List.copyOf(rules.advice);
    }

    /**
     * Advises something.
     *
     * @param form the rule, and behind a dot which of its forms
     * @param gain how many sessions it would free
     * @param statement which it is about
     * @param facts for the words of the rule
     */
    void advise(String form, String subject, double gain, @Nullable String statement, Object... facts) {
        String rule = form.split("\\.", 2)[0];
        advice.add(new Advice(
                rule,
                subject,
                words(form + ".do", facts),
                words(rule + ".seen", facts),
                WORDS.getString(rule + ".why"),
                statement,
                statement == null ? null : seen.queryIds().get(statement),
                gain));
    }

    /** Of the forms of a rule that for statements which begin so; else the rule. */
    private static String form(String rule, String statements) {
        return new TreeSet<>(WORDS.keySet())
                .stream()
                        .filter(key -> key.startsWith(rule + '.') && !key.equals(rule + ".do"))
                        .map(key -> key.substring(0, key.lastIndexOf('.')))
                        .filter(form -> StatementKind.runs(statements, form.substring(rule.length() + 1)))
                        .findFirst()
                        .orElse(rule);
    }

    private static String words(String key, Object... facts) {
        return String.format(Locale.ROOT, WORDS.getString(key), facts);
    }

    private void horizon() {
        for (HorizonHolder holder : seen.horizon()) {
            // On a standby without feedback a query holds back nobody.
            if (seen.isOld(holder) && (!seen.server().standby() || seen.server().standbyFeedback())) {
                // Zipfian updates fell to a sixth.
                double gain = CAUSE * seen.busySessions() * 5 / 6;
                String name = holder.name().replace("'", "''");
                advise("horizon." + form(holder), "vacuum horizon", gain, holder.query(), name, holder.text());
            }
        }
    }

    private static String form(HorizonHolder holder) {
        return switch (holder.kind()) {
            case "session" -> holder.seconds() == null ? "hidden" : holder.isAtWork() ? "at-work" : "open";
            case "standby" -> "standby";
            case "prepared transaction" -> "prepared";
            default -> "slot";
        };
    }

    /** What waits come from, before what only shortens them. */
    private void causes() {
        LockTable table = seen.lockTable();
        if (table != null && seen.lockTableShare() >= LOCK_TABLE_SHARE) {
            advise(
                    "lock-table",
                    "lock table",
                    // It fails everybody.
                    CAUSE * seen.busySessions() + 1,
                    table.query(),
                    Figures.percent(seen.lockTableShare()),
                    Figures.count(seen.server().lockRoom()),
                    Figures.count(table.most()),
                    table.session());
        }
        deadlocks();
        blockers().filter(Blocker::isLong).forEach(blocker -> {
            if (blocker.waiting() >= FELT_SESSIONS) {
                advise(
                        form("blocker." + blocker.form(), String.valueOf(blocker.query())),
                        blocker.name(),
                        CAUSE * blocker.waiting() + NOISE,
                        blocker.query(),
                        blocker.figure(),
                        blocker.gid().replace("'", "''"),
                        blocker.pid(),
                        blocker.firstPid());
            }
        });
        double behindStandby = seen.busy().getOrDefault(WaitEvents.STANDBY, 0.0);
        if (seen.isStandbyGone() && behindStandby > 0) {
            double gain = CAUSE * (behindStandby + seen.rowWaits());
            advise("standby-gone", "server", gain, null, Figures.sessions(behindStandby));
        }
        storms();
    }

    private void deadlocks() {
        Optional<Table> met = seen.tables().stream()
                .filter(table -> table.deadlocked() > 0)
                .max(Comparator.comparingLong(Table::deadlocked));
        if (seen.deadlocks() > 0 || met.isPresent()) {
            // Two stand still for deadlock_timeout, a second by default.
            double gain = Math.max(
                    2 * seen.deadlocks() / Math.max(1, seen.seconds()),
                    met.map(Table::waiting).orElse(0.0));
            advise(
                    "deadlocks."
                            + (met.filter(table -> TableRules.isShared(seen, table))
                                            .isPresent()
                                    ? "upgrade"
                                    : "order"),
                    met.map(Table::name).orElse("deadlocks"),
                    CAUSE * gain,
                    met.map(Table::statement).orElse(null),
                    Figures.count(seen.deadlocks()) + (seen.deadlocks() == 1 ? " deadlock" : " deadlocks"),
                    seen.server().database(),
                    met.isPresent() ? ", and sessions that wait for each other's rows of this table" : "");
        }
    }

    private void storms() {
        double rollbacks = seen.perSecond("rollbacks");
        double transactions = seen.perSecond("transactions");
        if (rollbacks < ROLLBACKS_PER_SECOND || rollbacks < ROLLBACK_SHARE * transactions) {
            return;
        }
        double gain = CAUSE * Math.max(seen.rowWaits() + FELT_SESSIONS, seen.busySessions() * rollbacks / transactions);
        Object[] facts = {Figures.number(rollbacks), Figures.number(transactions)};
        if (!seen.nowait().isEmpty()) {
            advise("nowait-storm", "rollbacks", gain, first(seen.nowait()), facts);
        } else if (seen.aborted() * seen.samples() >= 1 && (seen.serializable() || seen.snapshots() >= FELT_SESSIONS)) {
            String statement =
                    seen.tables().stream().findFirst().map(Table::statement).orElse(null);
            advise("serialization", "rollbacks", gain, statement, facts);
        }
    }

    /** Tables to do something about, first those that the others stand behind. */
    private void tables(Kind kind) {
        if (kind == Kind.HURT || kind == Kind.FELT) {
            seen.tables().stream()
                    .filter(table -> table.waiting() >= FELT_SESSIONS && table.share() >= TABLE_SHARE)
                    .forEach(table -> TableRules.advise(this, seen, table));
        }
    }

    /** Busy sessions that wait for locks other than rows, by wait event. */
    private void otherWaits() {
        Map<String, Double> others = new TreeMap<>();
        double transactions = -seen.rowWaits();
        for (Map.Entry<String, Double> each : seen.busy().entrySet()) {
            if (each.getKey().equals("Lock:tuple") || each.getKey().equals("Lock:transactionid")) {
                transactions += each.getValue();
            } else if (each.getKey().startsWith("Lock:")) {
                others.put(each.getKey(), each.getValue());
            }
        }
        others.put("Lock:transactionid", transactions);
        others.forEach((event, waiting) -> {
            if (waiting >= OTHER_SESSIONS && waiting >= HURT_SHARE * seen.busySessions()) {
                String type = event.substring("Lock:".length());
                List<Blocker> behind =
                        blockers().filter(each -> each.isFor(type)).toList();
                String lock = behind.stream().map(Blocker::lock).findFirst().orElse(type);
                String known = "other." + lock.replace(' ', '-');
                advise(
                        form(
                                WORDS.containsKey(known + ".do") ? known : "other.lock",
                                behind.stream().map(Blocker::statements).collect(Collectors.joining("; "))),
                        event,
                        waiting,
                        behind.stream()
                                .map(Blocker::query)
                                // A prepared transaction has none.
                                .filter(Objects::nonNull)
                                .findFirst()
                                .orElse(null),
                        Figures.sessions(waiting),
                        Figures.sessions(seen.busySessions()),
                        Figures.percent(waiting / seen.busySessions()));
            }
        });
    }

    private Stream<Blocker> blockers() {
        return seen.blockers().stream();
    }

    private void server(Kind kind) {
        seen.strayWriters().forEach((table, writers) -> {
            String figure = Figures.count(writers.size()) + (writers.size() == 1 ? " writer does" : " writers do");
            advise("stray-writers", table, 0, writers.get(0), figure);
        });
        seen.otherDatabases().forEach((database, waits) -> {
            if (waits >= Math.max(FELT_SESSIONS, TABLE_SHARE * seen.rowWaits())) {
                String there = Figures.sessions(waits);
                advise(
                        "elsewhere",
                        "database " + database,
                        waits,
                        null,
                        there,
                        Figures.sessions(seen.rowWaits()),
                        database);
            }
        });
        if (seen.server().cluster() != null) {
            advise("several-machines", "server", 0, null, seen.server().cluster());
        }
        double multixacts = seen.perSecond("multixacts");
        double inMultixacts = seen.busyIn(WaitEvents.MULTIXACT);
        if ((multixacts >= MULTIXACTS_PER_SECOND || inMultixacts >= LWLOCK_SHARE)
                && seen.tables().stream().noneMatch(TableRules::starvesForeignKeys)
                && seen.lockingStatements().stream()
                        .noneMatch(each -> each.mode().isShared())) {
            advise("multixacts", "server", 0, null, Figures.number(multixacts), Figures.percent(inMultixacts));
        }
        double inLockManager = seen.busyIn(WaitEvents.LOCK_MANAGER);
        // A convoy at rows makes such waits itself, and they go with it.
        if (inLockManager >= LWLOCK_SHARE && kind != Kind.HURT) {
            String slow = !seen.perSecond().containsKey("fast_path_exceeded")
                    ? ""
                    : ", " + Figures.number(seen.perSecond("fast_path_exceeded"))
                            + " locks/s had no room in the fast path";
            advise("lock-manager", "server", 0, null, Figures.percent(inLockManager), slow);
        }
        seen.used().stream()
                .filter(this::isBloated)
                .forEach(table -> advise(
                        "vacuum",
                        table.table(),
                        FELT_SESSIONS,
                        null,
                        Figures.count(table.dead()),
                        Figures.count(table.live()),
                        Figures.vacuumed(table.vacuumedSeconds())));
    }

    private boolean isBloated(Seen.TableUse table) {
        return table.dead() >= DEAD_ROWS
                && table.dead() >= table.live()
                && (table.vacuumedSeconds() == null || table.vacuumedSeconds() >= OLD_HORIZON_SECONDS)
                && seen.horizon().stream().noneMatch(holder -> seen.isOld(holder));
    }

    static @Nullable String first(Map<String, Double> shares) {
        return shares.keySet().stream().findFirst().orElse(null);
    }
}
