package org.rowlock.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.rowlock.RowLockMode;
import org.rowlock.doctor.Diagnosis.Kind;
import org.rowlock.doctor.Seen.Audited;
import org.rowlock.doctor.Seen.HorizonHolder;
import org.rowlock.doctor.Seen.LockTable;
import org.rowlock.doctor.Seen.Updated;
import org.rowlock.doctor.Wait.Cause;
import org.rowlock.doctor.Wait.Doing;

/** From where on a figure matters, and what to do then. What is advised first stands first. */
final class Rules {
    /** Of busy time. Less than a tenth cannot be worth a migration: all of it saved would be 1.1x. */
    static final double HURT_SHARE = 0.10;

    /** Sessions at a time. With less than one waiting every other moment the server has nothing to gain. */
    static final double HURT_SESSIONS = 0.5;

    /** Of busy time. Below this a sample of some seconds cannot be told from chance. */
    static final double FELT_SHARE = 0.02;

    /** Sessions at a time. A tenth of one session is six seconds of waiting a minute, for all clients together. */
    static final double FELT_SESSIONS = 0.1;

    /** Sessions at a time that wait for another lock than a row. One that waits alone, as CREATE INDEX does, keeps up nobody. */
    static final double OTHER_SESSIONS = 2;

    /** Busy sessions at a time below which the server is too idle for a verdict on its busy hours. */
    static final double IDLE_SESSIONS = 0.5;

    /** Transactions a second, with as few busy sessions. Short ones keep sessions busy for moments that no sample meets. */
    static final double IDLE_PER_SECOND = 10;

    /** Transactions in all: the server's statistics come in late, and a few may be from before. */
    static final double IDLE_TRANSACTIONS = 1_000;

    /** Of all waits for rows. A table with fewer is not the one to begin with. */
    static final double TABLE_SHARE = 0.05;

    /** Of what is shown in parts. Less is chance, such as a statement that ended between two views. */
    static final double NOISE = 0.01;

    /**
     * Sessions that want one row at a time. Below it a shorter queue at the server, or another lock, costs what it saves:
     * measured on zipfian keys, an advisory lock in front makes 0.86x with 4 clients, 1.2x with 10, 1.8x with 90.
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

    private Rules() {}

    /**
     * A line of the table of rules.
     *
     * @param name for programs
     * @param condition when it applies to a subject
     * @param figure what was seen
     * @param action what to do
     * @param reason why
     * @param statement which it is about
     */
    private record Rule<T>(
            String name,
            BiPredicate<Seen, T> condition,
            BiFunction<Seen, T, String> figure,
            Function<T, String> action,
            String reason,
            BiFunction<Seen, T, @Nullable String> statement) {
        Advice of(Seen seen, String subject, T about) {
            return new Advice(
                    name,
                    subject,
                    action.apply(about),
                    figure.apply(seen, about),
                    reason,
                    statement.apply(seen, about));
        }
    }

    /** Rules about one kind of thing: all rules for the first of it, then all for the second. */
    private record Block<T>(Function<Seen, List<T>> subjects, BiFunction<Seen, T, String> name, List<Rule<T>> rules) {
        void advise(Seen seen, List<Advice> advice) {
            for (T subject : subjects.apply(seen)) {
                for (Rule<T> rule : rules) {
                    if (rule.condition.test(seen, subject)) {
                        advice.add(rule.of(seen, name.apply(seen, subject), subject));
                    }
                }
            }
        }
    }

    private static final Block<Table> FOREIGN_KEYS = new Block<>(
            Rules::tables,
            (seen, table) -> table.name(),
            List.of(new Rule<>(
                    "no-key-update",
                    (seen, table) -> starvesForeignKeys(table),
                    (seen, table) -> table.cause(Cause.FOREIGN_KEY) >= NOISE
                            ? Figures.percent(table.cause(Cause.FOREIGN_KEY))
                                    + " of those who wait for its rows only check a foreign key to it"
                            : Figures.percent(forUpdateShare(table))
                                    + " of those who wait for its rows want them FOR UPDATE, and foreign keys lead to it",
                    table -> "Lock it FOR NO KEY UPDATE, not FOR UPDATE, unless rows are deleted or keys change.",
                    "The check of a foreign key waits for FOR UPDATE and passes FOR NO KEY UPDATE. That changes a word of"
                            + " SQL and needs no migration. Look again afterwards, before anything else is changed.",
                    Rules::forUpdate)));

    private static final Block<LockTable> LOCK_TABLE = new Block<>(
            seen -> seen.lockTable() == null ? List.of() : List.of(seen.lockTable()),
            (seen, table) -> "lock table",
            List.of(new Rule<>(
                    "lock-table",
                    (seen, table) -> table.share() >= LOCK_TABLE_SHARE,
                    (seen, table) -> Figures.percent(table.share()) + " of its "
                            + Figures.count(seen.server().lockRoom()) + " places in use, " + Figures.count(table.most())
                            + " of them by session " + table.session(),
                    table ->
                            "Lock fewer things in one transaction, or raise max_locks_per_transaction (needs a restart).",
                    "A full lock table fails every session of the server. An advisory lock takes a place in it, a row lock"
                            + " takes none: make room before any table goes to BOTH or ADVISORY.",
                    (seen, table) -> table.statement())));

    private static final Block<HorizonHolder> HORIZON = new Block<>(
            Seen::horizon,
            (seen, holder) -> "vacuum horizon",
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
                                            ? "Let it finish: it is at work. Run work as long as this on a standby, or in"
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
                    "Dead versions of updated rows stay, and every access to a hot row walks through them, under its lock"
                            + " too.",
                    (seen, holder) -> holder.statement())));

    private static final Block<Seen> DEADLOCKS = new Block<>(
            List::of,
            (seen, same) -> deadlocked(seen).map(Table::name).orElse("deadlocks"),
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
                    "Two who lock the same rows in another order meet head-on: both stand still for deadlock_timeout, and one"
                            + " of them fails. lockAll sorts the keys.",
                    (seen, same) -> deadlocked(seen).map(Table::statement).orElse(null))));

    private static final Block<Table> TABLES = new Block<>(
            Rules::tables,
            (seen, table) -> table.name(),
            List.of(
                    new Rule<>(
                            "shorter-transaction",
                            (seen, table) -> table.mostly() == Doing.IDLE && isWork(seen, table),
                            (seen, table) -> holders(table, Doing.IDLE) + ", for " + Figures.millis(table.idleMillis())
                                    + " when looked at",
                            table -> "Hold its rows for less time: no other work between the lock and the commit.",
                            "The row stays locked while the application does something else, and no strategy shortens that. Do"
                                    + " slow work before the lock or after the commit, or lock later.",
                            (seen, table) -> statement(table)),
                    new Rule<>(
                            "fewer-round-trips",
                            (seen, table) -> table.mostly() == Doing.IDLE && !isWork(seen, table),
                            (seen, table) -> holders(table, Doing.IDLE) + ", for " + Figures.millis(table.idleMillis())
                                    + " when looked at; a round trip from here takes "
                                    + Figures.millis(seen.roundTripMillis()),
                            table ->
                                    "Make fewer round trips while it is locked: lock and read in one, send writes together.",
                            "The row is held while messages travel, and no strategy shortens that. lockAndQuery locks and reads"
                                    + " in one trip; a batch, or one statement for several, does the same for writes.",
                            (seen, table) -> statement(table)),
                    new Rule<>(
                            "faster-standby",
                            (seen, table) -> table.mostly() == Doing.COMMITTING && table.standbyShare() >= MOST,
                            (seen, table) ->
                                    holders(table, Doing.COMMITTING) + ", waiting for a synchronous standby (SyncRep)",
                            table ->
                                    "Release its rows early: the commit waits for a synchronous standby while they are locked.",
                            "A plain commit frees a row only when the standby has confirmed; with early release (release=early"
                                    + " of Rowlock) it is free before, and nothing that was acknowledged can be lost. A closer standby,"
                                    + " fewer commits under the lock, or synchronous_commit = local, where losing the commit at a"
                                    + " failover is acceptable, shorten the wait itself; another kind of lock does not.",
                            (seen, table) -> statement(table)),
                    new Rule<>(
                            "faster-commit",
                            (seen, table) -> table.mostly() == Doing.COMMITTING && table.standbyShare() < MOST,
                            (seen, table) -> holders(table, Doing.COMMITTING) + ", mostly " + table.holderEvent(),
                            table -> "Shorten the commit: it waits for the WAL to be on disk while the row is locked.",
                            "A faster disk for the WAL shortens that, and early release (release=early of Rowlock) frees the row"
                                    + " before the disk has it, without losing what was acknowledged. synchronous_commit = off does"
                                    + " both, where the last commits may be lost in a crash; another kind of lock does neither.",
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
                            "A prepared transaction keeps its locks until its transaction manager ends it, through restarts"
                                    + " too. One ended by hand while its manager is at work is done in one database and undone"
                                    + " in another.",
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
                            "Its rows are held for as long as their holders wait elsewhere.",
                            (seen, table) -> table.holderStatement()),
                    new Rule<>(
                            "shorter-statements",
                            (seen, table) -> isHeldLong(table) && !isHeldOtherwise(table),
                            (seen, table) -> "the first in line has waited " + Figures.millis(table.firstWaitMillis())
                                    + " when looked at, and " + holders(table, table.mostly()) + " ("
                                    + table.holderEvent() + ')',
                            table -> "Shorten what runs while its rows are locked.",
                            "Beside a hold like this it does not matter how the row is handed over, and no strategy shortens it.",
                            (seen, table) -> table.holderStatement()),
                    new Rule<>(
                            "convoy",
                            (seen, table) -> isPayingConvoy(table) && table.cause(Cause.WRITE) < MOST,
                            Rules::waits,
                            table -> "Lock it through Rowlock (ROW): of each JVM only a few wait at the server.",
                            "A commit wakes those who wait for the row, and each walks through its new versions. With ROW only"
                                    + " a few of each JVM wait for it, and every guarantee stays. ADVISORY, by way of BOTH, is for"
                                    + " rows whose writers all lock through Rowlock. Measure with compare.",
                            (seen, table) -> table.statement()),
                    new Rule<>(
                            "convoy-of-writes",
                            (seen, table) -> isPayingConvoy(table) && table.cause(Cause.WRITE) >= MOST,
                            Rules::waits,
                            table ->
                                    "Lock it through Rowlock (ROW) before the UPDATE or DELETE: only a few of each JVM wait.",
                            "A commit wakes those who wait for the row, and each walks through its new versions, plain writes"
                                    + " too. A lock that is the first statement lets only a few of each JVM wait for it. Measure"
                                    + " with compare.",
                            (seen, table) -> table.statement()),
                    new Rule<>(
                            "admission",
                            (seen, table) -> isConvoy(table) && isHeldLong(table) && !starvesForeignKeys(table),
                            Rules::waits,
                            table -> "Admission, so that those who wait hold no connection; the strategy stays ROW.",
                            "Held for as long as this, a row is not free any sooner with another lock; but the rest of the"
                                    + " service goes on where its pool is not used up by waiters.",
                            (seen, table) -> table.statement()),
                    new Rule<>(
                            "stay",
                            (seen, table) -> !isConvoy(table)
                                    && !isHeldLong(table)
                                    && !starvesForeignKeys(table)
                                    && !isHeldOtherwise(table),
                            Rules::waits,
                            table -> "Keep its row locks; admission if the connection pool runs dry.",
                            "With fewer than about 10 who want one row, neither a queue nor another kind of lock pays.",
                            (seen, table) -> table.statement())));

    private static final Block<Map.Entry<String, Double>> OTHER_FIRST =
            others((seen, wait) -> wait.getValue() > seen.rowWaits());

    private static final Block<Map.Entry<String, Double>> OTHER =
            others((seen, wait) -> wait.getValue() <= seen.rowWaits());

    private static Block<Map.Entry<String, Double>> others(BiPredicate<Seen, Map.Entry<String, Double>> which) {
        return new Block<>(
                seen -> List.copyOf(otherWaits(seen).entrySet()),
                (seen, wait) -> wait.getKey(),
                List.of(new Rule<>(
                        "other",
                        (seen, wait) -> wait.getValue() >= OTHER_SESSIONS
                                && wait.getValue() >= HURT_SHARE * seen.busySessions()
                                && which.test(seen, wait),
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
                        "No rule knows this wait better. pg_blocking_pids(pid) has the sessions waited for: docs/incidents.md"
                                + " has the query.",
                        (seen, wait) -> null)));
    }

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

    private static final Block<Locking> STATEMENTS = new Block<>(
            seen -> seen.locking() == null ? List.of() : seen.locking(),
            (seen, statement) -> Optional.ofNullable(statement.table()).orElse("statement"),
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
                            "FOR SHARE writes every row that it locks, and a MultiXact where rows are shared; a shared"
                                    + " advisory lock writes nothing. BOTH does not help, as it takes the row lock too.",
                            (seen, statement) -> statement.sql()),
                    new Rule<>(
                            "claim",
                            (seen, statement) -> statement.skipsLocked()
                                    && statement.sessions() >= FELT_SESSIONS
                                    && statement.blocksPerRow() >= BLOCKS_PER_CLAIM,
                            (seen, statement) -> Figures.number(statement.blocksPerRow())
                                    + " blocks read for each row that it" + " takes, "
                                    + Figures.sessions(statement.sessions()) + " sessions in it at a time",
                            statement ->
                                    "Keep SKIP LOCKED, and shorten its way: claim more jobs at once, index what is ready.",
                            "Every claim walks past all rows that others hold or have just finished. Fewer and larger claims,"
                                    + " fewer workers, a partial index of ready jobs and a prompt vacuum shorten that; advisory"
                                    + " claims do not (measured 0.9x to 1.0x with 64 workers).",
                            (seen, statement) -> statement.sql())));

    private static final Block<Seen> SERVER = new Block<>(
            List::of,
            (seen, same) -> "server",
            List.of(
                    new Rule<>(
                            "several-machines",
                            (seen, same) -> seen.server().cluster() != null,
                            (seen, same) -> "extension " + seen.server().cluster()
                                    + " makes the database one of several machines",
                            same ->
                                    "Let every client enter by the same machine before any table goes to BOTH or ADVISORY.",
                            "An advisory lock of one machine excludes nobody on another, and on a multi-master database a row"
                                    + " lock does not either. See docs/where-it-holds.md.",
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
                            "They come from FOR SHARE, which Rowlock replaces, from foreign keys to rows that many insert against"
                                    + " at once, and from rows that are locked and then updated in a savepoint, which it does"
                                    + " not. pg_stat_statements tells which.",
                            (seen, same) -> null),
                    new Rule<>(
                            "lock-manager",
                            // A convoy at rows makes such waits itself, and they go with it.
                            (seen, same) ->
                                    seen.busyIn(WaitEvents.LOCK_MANAGER) >= LWLOCK_SHARE && kind(seen) != Kind.HURT,
                            (seen, same) -> Figures.percent(seen.busyIn(WaitEvents.LOCK_MANAGER))
                                    + " of busy time waits to get into the lock table",
                            same -> "Look at LockManager waits before any table goes to BOTH or ADVISORY.",
                            "They come from statements that touch more partitions and indexes than have room in the fast path (16"
                                    + " before PostgreSQL 18, since then max_locks_per_transaction), and from many sessions at"
                                    + " the same rows. Advisory locks go the same way.",
                            (seen, same) -> null)));

    private static final Block<Map.Entry<String, Double>> ELSEWHERE = new Block<>(
            seen -> List.copyOf(seen.otherDatabases().entrySet()),
            (seen, waits) -> "database " + waits.getKey(),
            List.of(new Rule<>(
                    "elsewhere",
                    (seen, waits) -> waits.getValue() >= Math.max(FELT_SESSIONS, TABLE_SHARE * seen.rowWaits()),
                    (seen, waits) -> Figures.sessions(waits.getValue()) + " of the " + Figures.sessions(seen.rowWaits())
                            + " sessions that wait for a row do so there",
                    waits -> "Run the doctor there too, with " + waits.getKey() + " in --url.",
                    "Only there do its tables have names.",
                    (seen, waits) -> null)));

    private static final Block<Updated> BLOAT = new Block<>(
            Seen::updated,
            (seen, table) -> table.table(),
            List.of(new Rule<>(
                    "vacuum",
                    (seen, table) -> table.dead() >= DEAD_ROWS
                            && table.dead() >= table.live()
                            && (table.vacuumedSeconds() == null || table.vacuumedSeconds() >= OLD_HORIZON_SECONDS)
                            && seen.horizon().stream().noneMatch(holder -> isOld(seen, holder)),
                    (seen, table) -> Figures.count(table.dead()) + " dead rows, " + Figures.count(table.live())
                            + " live; " + Figures.vacuumed(table.vacuumedSeconds()),
                    table -> "Find out why autovacuum does not keep up, and vacuum it.",
                    "Every access walks through dead versions, under a row lock too. By default autovacuum looks once a minute"
                            + " for tables with a fifth of their rows dead: it is off, its thresholds are higher, or its workers"
                            + " are busy elsewhere.",
                    (seen, table) -> null)));

    private static final Block<Audited> AUDIT = new Block<>(
            Seen::audited,
            (seen, table) -> table.table(),
            List.of(new Rule<>(
                    "stray-writers",
                    (seen, table) -> true,
                    (seen, table) -> Figures.count(table.writers().size())
                            + (table.writers().size() == 1 ? " writer does" : " writers do")
                            + " not lock through Rowlock, as its audit has seen",
                    table -> "Not ADVISORY without a guard: let its other writers lock first.",
                    "At ADVISORY a write of theirs can be lost, or lose another's; with the guard it is refused while somebody"
                            + " holds the row.",
                    (seen, table) -> table.writers().get(0))));

    private static final List<Block<?>> ALL = List.of(
            FOREIGN_KEYS,
            LOCK_TABLE,
            HORIZON,
            DEADLOCKS,
            OTHER_FIRST,
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

    /** FOR UPDATE of a table that foreign keys lead to, or whose checks are seen waiting. */
    private static boolean starvesForeignKeys(Table table) {
        return table.cause(Cause.FOREIGN_KEY) >= NOISE || (table.isReferenced() && forUpdateShare(table) >= NOISE);
    }

    /** Of those who wait: who wants FOR UPDATE, and is no DELETE or UPDATE of a key, which cannot want less. */
    private static double forUpdateShare(Table table) {
        return Math.min(1 - table.cause(Cause.WRITE), table.modes().getOrDefault(RowLockMode.FOR_UPDATE, 0.0));
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
     * By time: a server that is busy enough gives out any number of xids during a short report. A transaction may be older than
     * its snapshot; then few xids have been given out since. A slot and a standby have no clock but the rate of the xids.
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
