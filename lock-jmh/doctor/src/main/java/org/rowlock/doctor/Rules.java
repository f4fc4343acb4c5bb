package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ResourceBundle;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.Diagnosis.Kind;
import org.rowlock.doctor.Seen.Audited;
import org.rowlock.doctor.Seen.HorizonHolder;
import org.rowlock.doctor.Seen.LockTable;
import org.rowlock.doctor.Seen.Scanned;
import org.rowlock.doctor.Seen.Updated;
import org.rowlock.doctor.Wait.Cause;
import org.rowlock.doctor.Wait.Doing;

/** From where on a figure matters, and what to do then. What is advised first stands first. */
final class Rules {
    /** Of busy time. Less than a tenth cannot be worth a migration: all of it saved would be 1.1x. */
    static final double HURT_SHARE = 0.10;

    /** Sessions at a time. With less than one waiting every other moment the server has nothing to gain. */
    static final double HURT_SESSIONS = 0.5;

    /** Of busy time. Below this a sample of some seconds may be chance. */
    static final double FELT_SHARE = 0.02;

    /** Sessions at a time. A tenth of one session is six seconds of waiting a minute, for all clients together. */
    static final double FELT_SESSIONS = 0.1;

    /**
     * Sessions at a time that wait for another lock than a row. One that waits alone, as CREATE INDEX does, keeps up
     * nobody.
     */
    static final double OTHER_SESSIONS = 2;

    /** Busy sessions at a time below which the server is too idle for a verdict on its busy hours. */
    static final double IDLE_SESSIONS = 0.5;

    /**
     * Transactions a second, with as few busy sessions. Short ones keep sessions busy for moments that no sample meets.
     */
    static final double IDLE_PER_SECOND = 10;

    /** Transactions in all: the server's statistics come in late, and a few may be from before. */
    static final double IDLE_TRANSACTIONS = 1_000;

    /** Of all waits for rows. A table with fewer is not the one to begin with. */
    static final double TABLE_SHARE = 0.05;

    /** Of what is shown in parts. Less is chance, such as a statement that ended between two views. */
    static final double NOISE = 0.01;

    /**
     * Sessions that want one row at a time. Below it a shorter queue at the server, or another lock, costs what it
     * saves: measured on zipfian keys, an advisory lock in front makes 0.86x with 4 clients, 1.2x with 10, 1.8x with
     * 90.
     */
    static final double CONVOY = 10;

    /** How long the first in line has waited. Beside this the hand-over of a row, a millisecond or so, is nothing. */
    static final double LONG_HOLD_MILLIS = 100;

    /** Sessions seen in a wait event, in all samples together. Fewer are chance. */
    static final int SIGHTINGS = 10;

    /** Of what holders are seen to do: the most of their time. */
    static final double MOST = 0.5;

    /** How long an application is silent in a transaction when it works there, and not only the network. */
    static final double WORK_MILLIS = 10;

    /** Of the server's WAL: a statement that is worth a rule of its own. */
    static final double WAL_SHARE = 0.10;

    /** A call. A shared lock of one row writes about 60 bytes. */
    static final double WAL_PER_CALL = 50;

    /**
     * MultiXacts a second. At this rate the default autovacuum_multixact_freeze_max_age (400 million) is reached in 46
     * days, and each table is read in full to freeze it, however little it changes.
     */
    static final double MULTIXACTS_PER_SECOND = 100;

    /** Of busy time in LWLock waits for MultiXacts or the lock table. Both should be too short to be ever seen. */
    static final double LWLOCK_SHARE = 0.02;

    /** Blocks read for a row that is claimed; an index that fits finds one in fewer than ten. */
    static final double BLOCKS_PER_CLAIM = 50;

    /** With an open snapshot zipfian updates fell to a sixth of their rate within 15 minutes: a third of that. */
    static final double OLD_HORIZON_SECONDS = 300;

    /** As many make a horizon old at any rate: about what a busy hot table is updated in five minutes. */
    static final long OLD_HORIZON_XIDS = 100_000;

    /** Fewer leave too few dead rows to matter. */
    static final long FEW_XIDS = 1_000;

    /** Of the lock table's room. A full table fails sessions that have nothing to do with it. */
    static final double LOCK_TABLE_SHARE = 0.5;

    /** Dead rows below which a table is small however many of its rows are dead. */
    static final long DEAD_ROWS = 10_000;

    /** How much sooner the cause of waits is named than what only shortens them. */
    private static final double CAUSE = 5;

    /** Rows that a scan reads; a small table is best read so. */
    private static final double LONG_SCAN = 1_000;

    /** A second, and of all transactions; a program that ends its reads with ROLLBACK has as many, and no waits. */
    private static final double ROLLBACKS_PER_SECOND = 10;

    private static final double ROLLBACK_SHARE = 0.1;

    /** Why, by rule. */
    private static final ResourceBundle REASONS = ResourceBundle.getBundle("org.rowlock.doctor.reasons");

    private Rules() {}

    /**
     * A line of the table of rules.
     *
     * @param name for programs
     * @param condition when it applies to a subject
     * @param figure what was seen
     * @param action what to do
     * @param statement which it is about
     */
    private record Rule<T>(
            String name,
            BiPredicate<Seen, T> condition,
            BiFunction<Seen, T, String> figure,
            Function<T, String> action,
            BiFunction<Seen, T, @Nullable String> statement) {
        Advice of(Seen seen, String subject, T about, double gain) {
            String sql = statement.apply(seen, about);
            return new Advice(
                    name,
                    subject,
                    action.apply(about),
                    figure.apply(seen, about),
                    REASONS.getString(name),
                    sql,
                    sql == null ? null : seen.causes().queryIds().get(sql),
                    name.equals("stay") ? 0 : gain);
        }
    }

    /** Rules about one kind of thing, with how many sessions it would free. */
    private record Block<T>(
            Function<Seen, List<T>> subjects,
            BiFunction<Seen, T, String> name,
            ToDoubleBiFunction<Seen, T> gain,
            List<Rule<T>> rules) {
        void advise(Seen seen, List<Advice> advice) {
            for (T subject : subjects.apply(seen)) {
                for (Rule<T> rule : rules) {
                    if (rule.condition.test(seen, subject)) {
                        advice.add(
                                rule.of(seen, name.apply(seen, subject), subject, gain.applyAsDouble(seen, subject)));
                    }
                }
            }
        }
    }

    private static final Block<Table> FOREIGN_KEYS = new Block<>(
            Rules::tables,
            (seen, table) -> table.name(),
            (seen, table) -> CAUSE * table.waiting(),
            List.of(new Rule<>(
                    "no-key-update",
                    (seen, table) -> starvesForeignKeys(table),
                    (seen, table) -> Figures.percent(table.cause(Cause.FOREIGN_KEY))
                            + " of those who wait for its rows only check a foreign key to it",
                    table -> "Lock it FOR NO KEY UPDATE, not FOR UPDATE, unless rows are deleted or keys change.",
                    Rules::forUpdate)));

    private static final Block<LockTable> LOCK_TABLE = new Block<>(
            seen -> seen.lockTable() == null ? List.of() : List.of(seen.lockTable()),
            (seen, table) -> "lock table",
            // It fails everybody.
            (seen, table) -> CAUSE * seen.busySessions() + 1,
            List.of(new Rule<>(
                    "lock-table",
                    (seen, table) -> table.share() >= LOCK_TABLE_SHARE,
                    (seen, table) -> Figures.percent(table.share()) + " of its "
                            + Figures.count(seen.server().lockRoom()) + " places in use, " + Figures.count(table.most())
                            + " of them by session " + table.session(),
                    table -> "Lock fewer things in one transaction, or raise max_locks_per_transaction (needs a"
                            + " restart).",
                    (seen, table) -> table.statement())));

    private static final Block<HorizonHolder> HORIZON = new Block<>(
            Seen::horizon,
            (seen, holder) -> "vacuum horizon",
            // Zipfian updates fell to a sixth.
            (seen, holder) -> CAUSE * seen.busySessions() * 5 / 6,
            List.of(new Rule<>(
                    "horizon",
                    // On a standby without feedback a query holds back nobody.
                    (seen, holder) -> isOld(seen, holder)
                            && (!seen.server().standby() || seen.server().standbyFeedback()),
                    (seen, holder) -> "held by " + holder.text(),
                    holder -> switch (holder.kind()) {
                        case "session" ->
                            holder.seconds() == null
                                    ? "Find out what its transaction does; pg_read_all_stats shows it."
                                    : holder.isAtWork()
                                            ? "Let it finish: it is at work. Run work as long as this on a standby,"
                                                    + " or in"
                                                    + " shorter transactions."
                                            : "End its transaction, pg_terminate_backend(" + holder.name()
                                                    + "), and find out why it stays open.";
                        case "standby" ->
                            "Shorten the long query on that standby, or switch off its hot_standby_feedback.";
                        case "prepared transaction" ->
                            "End it as its transaction manager has decided: commit prepared or rollback prepared '"
                                    + holder.name().replace("'", "''") + "'.";
                        default ->
                            "Bring its consumer back. If that is gone for good: pg_drop_replication_slot('"
                                    + holder.name() + "').";
                    },
                    (seen, holder) -> holder.statement())));

    private static final Block<Seen> DEADLOCKS = new Block<>(
            List::of,
            (seen, same) -> deadlocked(seen).map(Table::name).orElse("deadlocks"),
            // Two stand still for deadlock_timeout, a second by default.
            (seen, same) -> CAUSE
                    * Math.max(
                            2 * seen.deadlocks() / Math.max(1, seen.seconds()),
                            deadlocked(seen).map(Table::waiting).orElse(0.0)),
            List.of(new Rule<>(
                    "deadlocks",
                    (seen, same) -> seen.deadlocks() > 0 || deadlocked(seen).isPresent(),
                    (seen, same) ->
                            Figures.count(seen.deadlocks()) + (seen.deadlocks() == 1 ? " deadlock" : " deadlocks")
                                    + " in database " + seen.server().database() + " while looking"
                                    + (deadlocked(seen).isPresent()
                                            ? ", and sessions that wait for each other's rows of this table"
                                            : ""),
                    same -> "Lock the rows of a transaction in one order, in one call (lockAll).",
                    (seen, same) -> deadlocked(seen).map(Table::statement).orElse(null))));

    private static final Block<Table> TABLES = new Block<>(
            Rules::tables,
            (seen, table) -> table.name(),
            // First those that the others stand behind.
            (seen, table) -> table.waiting() * (table.mostly() == Doing.WAITING ? NOISE : 1),
            List.of(
                    new Rule<>(
                            "shorter-transaction",
                            (seen, table) -> table.mostly() == Doing.IDLE && isWork(seen, table),
                            (seen, table) -> holders(table, Doing.IDLE) + ", for " + Figures.millis(table.idleMillis())
                                    + " when looked at",
                            table -> "Hold its rows for less time: no other work between the lock and the commit.",
                            (seen, table) -> statement(table)),
                    new Rule<>(
                            "fewer-round-trips",
                            (seen, table) -> table.mostly() == Doing.IDLE && !isWork(seen, table),
                            (seen, table) -> holders(table, Doing.IDLE) + ", for " + Figures.millis(table.idleMillis())
                                    + " when looked at; a round trip from here takes "
                                    + Figures.millis(seen.roundTripMillis()),
                            table -> "Make fewer round trips while it is locked: lock and read in one, send writes"
                                    + " together.",
                            (seen, table) -> statement(table)),
                    new Rule<>(
                            "faster-standby",
                            (seen, table) -> table.mostly() == Doing.COMMITTING && table.standbyShare() >= MOST,
                            (seen, table) ->
                                    holders(table, Doing.COMMITTING) + ", waiting for a synchronous standby (SyncRep)",
                            table -> "Release its rows early: the commit waits for a synchronous standby while they"
                                    + " are locked.",
                            (seen, table) -> statement(table)),
                    new Rule<>(
                            "faster-commit",
                            (seen, table) -> table.mostly() == Doing.COMMITTING && table.standbyShare() < MOST,
                            (seen, table) -> holders(table, Doing.COMMITTING) + ", mostly " + table.holderEvent(),
                            table -> "Shorten the commit: it waits for the WAL to be on disk while the row is locked.",
                            (seen, table) -> statement(table)),
                    new Rule<>(
                            "prepared",
                            (seen, table) -> table.mostly() == Doing.PREPARED,
                            (seen, table) ->
                                    holders(table, Doing.PREPARED) + ", for " + Figures.millis(table.idleMillis())
                                            + " when looked at, most often " + table.holderEvent(),
                            table -> table.idleMillis() >= OLD_HORIZON_SECONDS * 1_000
                                    ? "End the prepared transactions that hold its rows (pg_prepared_xacts), as their"
                                            + " transaction manager has decided."
                                    : "Shorten the time from PREPARE TRANSACTION to COMMIT PREPARED.",
                            (seen, table) -> statement(table)),
                    new Rule<>(
                            "next-lock",
                            (seen, table) -> table.mostly() == Doing.WAITING,
                            (seen, table) -> holders(table, Doing.WAITING) + " (" + table.holderEvent() + ')',
                            table -> "Look first at what its holders wait for"
                                    + table.behind().keySet().stream()
                                            .findFirst()
                                            .map(next -> ", rows of " + next)
                                            .orElse("")
                                    + ".",
                            (seen, table) -> table.holderStatement()),
                    new Rule<>(
                            "shorter-statements",
                            (seen, table) -> isHeldLong(table) && !isHeldOtherwise(table),
                            (seen, table) -> "the first in line has waited " + Figures.millis(table.firstWaitMillis())
                                    + " when looked at, and " + holders(table, table.mostly()) + " ("
                                    + table.holderEvent() + ')',
                            table -> "Shorten what runs while its rows are locked.",
                            (seen, table) -> table.holderStatement()),
                    new Rule<>(
                            "convoy",
                            (seen, table) -> isPayingConvoy(table) && table.cause(Cause.WRITE) < MOST,
                            Rules::waits,
                            table -> "Lock it through Rowlock (ROW): of each JVM only a few wait at the server.",
                            (seen, table) -> table.statement()),
                    new Rule<>(
                            "convoy-of-writes",
                            (seen, table) -> isPayingConvoy(table) && table.cause(Cause.WRITE) >= MOST,
                            Rules::waits,
                            table -> "Lock it through Rowlock (ROW) before the UPDATE or DELETE: only a few of each"
                                    + " JVM wait.",
                            (seen, table) -> table.statement()),
                    new Rule<>(
                            "admission",
                            (seen, table) -> isConvoy(table) && isHeldLong(table) && !starvesForeignKeys(table),
                            Rules::waits,
                            table -> "Admission, so that those who wait hold no connection; the strategy stays ROW.",
                            (seen, table) -> table.statement()),
                    new Rule<>(
                            "stay",
                            (seen, table) -> !isConvoy(table)
                                    && !isHeldLong(table)
                                    && !starvesForeignKeys(table)
                                    && !isHeldOtherwise(table),
                            Rules::waits,
                            table -> "Keep its row locks; admission if the connection pool runs dry.",
                            (seen, table) -> table.statement())));

    private static final Block<Map.Entry<String, Double>> OTHER = new Block<>(
            seen -> List.copyOf(otherWaits(seen).entrySet()),
            (seen, wait) -> wait.getKey(),
            (seen, wait) -> wait.getValue(),
            List.of(new Rule<>(
                    "other",
                    (seen, wait) ->
                            wait.getValue() >= OTHER_SESSIONS && wait.getValue() >= HURT_SHARE * seen.busySessions(),
                    (seen, wait) -> Figures.sessions(wait.getValue()) + " of "
                            + Figures.sessions(seen.busySessions()) + " busy sessions wait there ("
                            + Figures.percent(wait.getValue() / seen.busySessions()) + ')',
                    wait -> switch (wait.getKey()) {
                        case "Lock:transactionid" ->
                            "Find the transactions waited for: most often inserts of one unique key, or rows behind a"
                                    + " trigger or function.";
                        case "Lock:advisory" ->
                            "Hold these advisory locks for less time, or let fewer sessions want one.";
                        case "Lock:relation" ->
                            "Find the table lock: DDL or LOCK TABLE, or a transaction that such a one waits behind.";
                        default -> "Find out which session holds this lock.";
                    },
                    (seen, wait) -> blockers(seen)
                            .filter(each -> ("Lock:" + each.lock()).equals(wait.getKey()))
                            .map(Blocker::statement)
                            .findFirst()
                            .orElse(null))));

    /** Busy sessions that wait for locks other than rows, by wait event. */
    private static Map<String, Double> otherWaits(Seen seen) {
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
        return others;
    }

    private static final Block<Blocker> BLOCKERS = new Block<>(
            seen -> blockers(seen).filter(Blocker::isLong).toList(),
            (seen, blocker) -> blocker.name(),
            (seen, blocker) -> CAUSE * blocker.waiting() + NOISE,
            List.of(new Rule<>(
                    "blocker",
                    (seen, blocker) -> blocker.waiting() >= FELT_SESSIONS,
                    (seen, blocker) -> blocker.figure(),
                    Blocker::action,
                    (seen, blocker) -> blocker.statement())));

    private static final Block<Seen> STANDBY_GONE = new Block<>(
            List::of,
            (seen, same) -> "server",
            (seen, same) -> CAUSE * (seen.busy().getOrDefault(WaitEvents.STANDBY, 0.0) + seen.rowWaits()),
            List.of(new Rule<>(
                    "standby-gone",
                    (seen, same) -> seen.causes().isStandbyGone() && seen.busy().containsKey(WaitEvents.STANDBY),
                    (seen, same) -> Figures.sessions(seen.busy().getOrDefault(WaitEvents.STANDBY, 0.0))
                            + " sessions wait for a synchronous standby (SyncRep), and none is there",
                    same -> "Bring the synchronous standby back, or take it out of synchronous_standby_names and"
                            + " reload.",
                    (seen, same) -> null)));

    private static final Block<Locking> INDEX = new Block<>(
            seen -> seen.locking() == null
                    ? List.of()
                    : seen.locking().stream()
                            .filter(each -> !each.skipsLocked()
                                    && each.sessions() >= FELT_SESSIONS
                                    && each.blocksPerRow() >= BLOCKS_PER_CLAIM
                                    && scanned(seen, each).isPresent())
                            .toList(),
            (seen, statement) -> scanned(seen, statement).map(Scanned::table).orElse(""),
            (seen, statement) -> CAUSE * Math.max(statement.sessions(), seen.rowWaits()),
            List.of(new Rule<>(
                    "missing-index",
                    (seen, statement) -> true,
                    (seen, statement) -> Figures.number(statement.blocksPerRow())
                            + " blocks read for each row that the statement locks, by sequential scans of "
                            + Figures.number(
                                    scanned(seen, statement).map(Scanned::rows).orElse(0.0)) + " rows; "
                            + Figures.sessions(statement.sessions()) + " sessions are in it at a time",
                    statement ->
                            "Index the columns by which the statement looks for its rows (of a DELETE or a change of"
                                    + " keys: those of the foreign key, too).",
                    (seen, statement) -> statement.sql())));

    private static final Block<Seen> STORMS = new Block<>(
            seen -> seen.perSecond("rollbacks") >= ROLLBACKS_PER_SECOND
                            && seen.perSecond("rollbacks") >= ROLLBACK_SHARE * seen.perSecond("transactions")
                    ? List.of(seen)
                    : List.of(),
            (seen, same) -> "rollbacks",
            (seen, same) -> CAUSE
                    * Math.max(
                            seen.rowWaits() + FELT_SESSIONS,
                            seen.busySessions() * seen.perSecond("rollbacks") / seen.perSecond("transactions")),
            List.of(
                    new Rule<>(
                            "nowait-storm",
                            (seen, same) -> !seen.causes().nowait().isEmpty(),
                            Rules::rollbacks,
                            same -> "Wait for the lock for a bounded time (lock_timeout, atMost) in place of NOWAIT"
                                    + " with retries.",
                            (seen, same) -> seen.causes().nowait().keySet().stream()
                                    .findFirst()
                                    .orElse(null)),
                    new Rule<>(
                            "serialization",
                            (seen, same) -> seen.causes().nowait().isEmpty()
                                    && seen.causes().aborted() * seen.samples() >= 1
                                    && (seen.causes().serializable()
                                            || seen.causes().snapshots() >= FELT_SESSIONS),
                            Rules::rollbacks,
                            same -> "Lock the contended row first, in READ COMMITTED: transactions in REPEATABLE"
                                    + " READ or"
                                    + " SERIALIZABLE fail (40001) for each other's writes.",
                            (seen, same) -> seen.tables().stream()
                                    .findFirst()
                                    .map(Table::statement)
                                    .orElse(null))));

    private static String rollbacks(Seen seen, Seen same) {
        return Figures.number(seen.perSecond("rollbacks")) + " rollbacks a second, "
                + Figures.number(seen.perSecond("transactions")) + " transactions";
    }

    /** What the statement scans: its own table, or one whose foreign key leads to that without an index. */
    private static Optional<Scanned> scanned(Seen seen, Locking statement) {
        List<Scanned> scans = seen.causes().scanned().stream()
                .filter(each -> each.rows() >= LONG_SCAN)
                .toList();
        return scans.stream()
                .filter(each -> statement.locks(each.table()))
                .findFirst()
                .or(() -> scans.stream().filter(Scanned::lacksIndex).findFirst());
    }

    private static Stream<Blocker> blockers(Seen seen) {
        return seen.causes().blockers().stream();
    }

    private static final Block<Locking> STATEMENTS = new Block<>(
            seen -> seen.locking() == null ? List.of() : seen.locking(),
            (seen, statement) -> Optional.ofNullable(statement.table()).orElse("statement"),
            (seen, statement) -> statement.sessions(),
            List.of(
                    new Rule<>(
                            "share",
                            (seen, statement) -> statement.mode().isShared()
                                    && statement.walPerCall() >= WAL_PER_CALL
                                    && (statement.walShare() >= WAL_SHARE
                                            || seen.perSecond("multixacts") >= MULTIXACTS_PER_SECOND),
                            (seen, statement) -> Figures.bytes(statement.walPerCall()) + " of WAL a call, "
                                    + Figures.percent(statement.walShare()) + " of the server's; "
                                    + Figures.number(seen.perSecond("multixacts")) + " MultiXacts/s",
                            statement -> "Take shared advisory locks (strategy ADVISORY) in place of its FOR SHARE.",
                            (seen, statement) -> statement.sql()),
                    new Rule<>(
                            "claim",
                            (seen, statement) -> statement.skipsLocked()
                                    && statement.sessions() >= FELT_SESSIONS
                                    && statement.blocksPerRow() >= BLOCKS_PER_CLAIM,
                            (seen, statement) -> Figures.number(statement.blocksPerRow())
                                    + " blocks read for each row that it" + " takes, "
                                    + Figures.sessions(statement.sessions()) + " sessions in it at a time",
                            statement -> "Keep SKIP LOCKED, and shorten its way: claim more jobs at once, index what is"
                                    + " ready.",
                            (seen, statement) -> statement.sql())));

    private static final Block<Seen> SERVER = new Block<>(
            List::of,
            (seen, same) -> "server",
            (seen, same) -> 0,
            List.of(
                    new Rule<>(
                            "several-machines",
                            (seen, same) -> seen.server().cluster() != null,
                            (seen, same) -> "extension " + seen.server().cluster()
                                    + " makes the database one of several machines",
                            same -> "Let every client enter by the same machine before any table goes to BOTH or"
                                    + " ADVISORY.",
                            (seen, same) -> null),
                    new Rule<>(
                            "multixacts",
                            (seen, same) -> (seen.perSecond("multixacts") >= MULTIXACTS_PER_SECOND
                                            || seen.busyIn(WaitEvents.MULTIXACT) >= LWLOCK_SHARE)
                                    && seen.tables().stream().noneMatch(Rules::starvesForeignKeys)
                                    && (seen.locking() == null
                                            || seen.locking().stream()
                                                    .noneMatch(
                                                            each -> each.mode().isShared())),
                            (seen, same) -> Figures.number(seen.perSecond("multixacts")) + " MultiXacts/s, "
                                    + Figures.percent(seen.busyIn(WaitEvents.MULTIXACT))
                                    + " of busy time waits in them",
                            same -> "Find out which statements share rows (MultiXacts).",
                            (seen, same) -> null),
                    new Rule<>(
                            "lock-manager",
                            // A convoy at rows makes such waits itself, and they go with it.
                            (seen, same) ->
                                    seen.busyIn(WaitEvents.LOCK_MANAGER) >= LWLOCK_SHARE && kind(seen) != Kind.HURT,
                            (seen, same) -> Figures.percent(seen.busyIn(WaitEvents.LOCK_MANAGER))
                                    + " of busy time waits to get into the lock table"
                                    + (seen.perSecond().containsKey("fast_path_exceeded")
                                            ? ", " + Figures.number(seen.perSecond("fast_path_exceeded"))
                                                    + " locks/s had no room in the fast path"
                                            : ""),
                            same -> "Look at LockManager waits before any table goes to BOTH or ADVISORY.",
                            (seen, same) -> null)));

    private static final Block<Map.Entry<String, Double>> ELSEWHERE = new Block<>(
            seen -> List.copyOf(seen.otherDatabases().entrySet()),
            (seen, waits) -> "database " + waits.getKey(),
            (seen, waits) -> waits.getValue(),
            List.of(new Rule<>(
                    "elsewhere",
                    (seen, waits) -> waits.getValue() >= Math.max(FELT_SESSIONS, TABLE_SHARE * seen.rowWaits()),
                    (seen, waits) -> Figures.sessions(waits.getValue()) + " of the " + Figures.sessions(seen.rowWaits())
                            + " sessions that wait for a row do so there",
                    waits -> "Run the doctor there too, with " + waits.getKey() + " in --url.",
                    (seen, waits) -> null)));

    private static final Block<Updated> BLOAT = new Block<>(
            Seen::updated,
            (seen, table) -> table.table(),
            (seen, table) -> FELT_SESSIONS,
            List.of(new Rule<>(
                    "vacuum",
                    (seen, table) -> table.dead() >= DEAD_ROWS
                            && table.dead() >= table.live()
                            && (table.vacuumedSeconds() == null || table.vacuumedSeconds() >= OLD_HORIZON_SECONDS)
                            && seen.horizon().stream().noneMatch(holder -> isOld(seen, holder)),
                    (seen, table) -> Figures.count(table.dead()) + " dead rows, " + Figures.count(table.live())
                            + " live; " + Figures.vacuumed(table.vacuumedSeconds()),
                    table -> "Find out why autovacuum does not keep up, and vacuum it.",
                    (seen, table) -> null)));

    private static final Block<Audited> AUDIT = new Block<>(
            Seen::audited,
            (seen, table) -> table.table(),
            (seen, table) -> 0,
            List.of(new Rule<>(
                    "stray-writers",
                    (seen, table) -> true,
                    (seen, table) -> Figures.count(table.writers().size())
                            + (table.writers().size() == 1 ? " writer does" : " writers do")
                            + " not lock through Rowlock, as its audit has seen",
                    table -> "Not ADVISORY without a guard: let its other writers lock first.",
                    (seen, table) -> table.writers().get(0))));

    private static final List<Block<?>> ALL = List.of(
            FOREIGN_KEYS,
            LOCK_TABLE,
            HORIZON,
            DEADLOCKS,
            BLOCKERS,
            STANDBY_GONE,
            INDEX,
            STORMS,
            TABLES,
            OTHER,
            STATEMENTS,
            AUDIT,
            ELSEWHERE,
            SERVER,
            BLOAT);

    /** What to do, in this order. */
    static List<Advice> advice(Seen seen, Kind kind) {
        List<Advice> advice = new ArrayList<>();
        if (kind == Kind.STANDBY) {
            HORIZON.advise(seen, advice);
        } else {
            ALL.forEach(block -> block.advise(seen, advice));
        }
        advice.sort(Comparator.comparingDouble(Advice::gain).reversed());
        return List.copyOf(advice);
    }

    /** The answer in a word, before any advice. */
    static Kind kind(Seen seen) {
        if (seen.server().standby()) {
            return Kind.STANDBY;
        }
        // Where busy sessions cannot be counted, the number of waiters must do.
        double share = seen.rowWaitShare().orElse(1.0);
        if (seen.rowWaits() >= HURT_SESSIONS && share >= HURT_SHARE) {
            return Kind.HURT;
        }
        if (seen.rowWaits() >= FELT_SESSIONS && share >= FELT_SHARE) {
            return Kind.FELT;
        }
        return seen.hidden() == 0 && isIdle(seen) ? Kind.IDLE : Kind.HEALTHY;
    }

    private static boolean isIdle(Seen seen) {
        double transactions = seen.perSecond("transactions");
        return seen.busySessions() < IDLE_SESSIONS
                && (transactions < IDLE_PER_SECOND || transactions * seen.seconds() < IDLE_TRANSACTIONS);
    }

    /** Tables to do something about, first those that the others stand behind. */
    private static List<Table> tables(Seen seen) {
        Kind kind = kind(seen);
        return kind != Kind.HURT && kind != Kind.FELT
                ? List.of()
                : seen.tables().stream()
                        .filter(table -> table.waiting() >= FELT_SESSIONS && table.share() >= TABLE_SHARE)
                        .sorted(Comparator.comparing(table -> table.mostly() == Doing.WAITING))
                        .toList();
    }

    /**
     * Checks of foreign keys are seen waiting. Where none waits, less than FOR UPDATE gains nothing (measured: 1.0x).
     */
    private static boolean starvesForeignKeys(Table table) {
        return table.cause(Cause.FOREIGN_KEY) >= FELT_SHARE;
    }

    private static @Nullable String forUpdate(Seen seen, Table table) {
        return table.forUpdate()
                .or(() -> Optional.ofNullable(seen.locking()).stream()
                        .flatMap(List::stream)
                        .filter(each -> each.mode() == RowLockMode.FOR_UPDATE && each.locks(table.name()))
                        .map(Locking::sql)
                        .findFirst())
                .orElse(table.statement());
    }

    private static Optional<Table> deadlocked(Seen seen) {
        return seen.tables().stream()
                .filter(table -> table.deadlocked() > 0)
                .max((one, other) -> Long.compare(one.deadlocked(), other.deadlocked()));
    }

    static boolean isConvoy(Table table) {
        return table.contenders() >= CONVOY;
    }

    /** One that a shorter queue makes faster. */
    private static boolean isPayingConvoy(Table table) {
        return isConvoy(table) && !isHeldLong(table) && !starvesForeignKeys(table);
    }

    private static boolean isHeldLong(Table table) {
        return table.firstWaitMillis() >= LONG_HOLD_MILLIS;
    }

    /** Whether something else than statements and the hand-over takes most of the time. */
    private static boolean isHeldOtherwise(Table table) {
        return switch (table.mostly()) {
            case IDLE, COMMITTING, PREPARED, WAITING -> true;
            case CHANGING, RUNNING, HIDDEN -> false;
        };
    }

    /** Whether idle holders pause for longer than messages travel. */
    private static boolean isWork(Seen seen, Table table) {
        return table.pauseMillis() >= Math.max(WORK_MILLIS, 3 * seen.roundTripMillis());
    }

    /**
     * By time: a server that is busy enough gives out any number of xids during a short report. A transaction may be
     * older than its snapshot; then few xids have been given out since. A slot and a standby have no clock but the rate
     * of the xids.
     */
    static boolean isOld(Seen seen, HorizonHolder holder) {
        double atThisRate = OLD_HORIZON_SECONDS * seen.perSecond("xids");
        return holder.seconds() == null
                ? holder.xids() >= Math.max(OLD_HORIZON_XIDS, atThisRate)
                : holder.seconds() >= OLD_HORIZON_SECONDS
                        && holder.xids() >= Math.max(FEW_XIDS, Math.min(OLD_HORIZON_XIDS, atThisRate / 2));
    }

    private static String holders(Table table, Doing doing) {
        return "while others wait its holder is " + doing.title + ' ' + Figures.percent(table.holder(doing))
                + " of the time";
    }

    private static String waits(Seen seen, Table table) {
        return Figures.sessions(table.waiting()) + " sessions wait for its rows, "
                + Figures.sessions(table.contenders()) + " want one row at a time; it is changing hands "
                + Figures.percent(table.holder(Doing.CHANGING)) + " of the time";
    }

    /** What is held is what was locked: the locking statement, wherever it was seen. */
    private static @Nullable String statement(Table table) {
        return table.statement() != null ? table.statement() : table.holderStatement();
    }
}
