package org.rowlock.jdbc.internal.turn;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockRelease;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.jdbc.RowlockJdbcMXBean;
import org.rowlock.jdbc.RowlockMode;
import org.rowlock.jdbc.internal.group.Groups;
import org.rowlock.jdbc.internal.statement.StatementRecogniser;

/** What the connections of one DataSource or URL have in common. Thread-safe. */
public final class DropIn implements RowlockJdbcMXBean, AutoCloseable {
    private static final Logger LOG = System.getLogger("org.rowlock");

    /** Of all databases of the JVM: its database is part of a row's identity. */
    private static final KeyQueues QUEUES = KeyQueues.adaptive();

    private static final long LONGEST_FRONT_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * How many times the longest wait for a lock in front a row is left alone after it: somebody has the key and not
     * the row.
     */
    private static final int FRONT_OFF_TIMES = 10;

    private static final int TEXTS = 1024;
    private static final int TABLES = 1024;
    private static final String OTHER_TABLES = "(others)";

    private final KeyQueues queues;
    private final BoundedCache<String, StatementPlan> plans = new BoundedCache<>(TEXTS);
    private final Map<String, TableFigures> figures = new ConcurrentHashMap<>();
    private final PrimaryKeys primaryKeys = new PrimaryKeys();
    private final HotRows hotRows = new HotRows();
    private final EarlyCommits earlyCommits = new EarlyCommits();
    private final ByConnection<SessionTimeouts> timeouts = new ByConnection<>();
    private final ByConnection<FrontRights> rights = new ByConnection<>();
    private final long longestFrontWaitNanos;
    private final Management management;
    private volatile JdbcSettings settings;
    private volatile @Nullable Groups groups;

    public DropIn(JdbcSettings settings) {
        this(settings, QUEUES);
    }

    /** With queues of one's own, for tests. */
    public DropIn(JdbcSettings settings, KeyQueues queues) {
        this(settings, queues, LONGEST_FRONT_WAIT_NANOS);
    }

    /** With another bound of the wait for a lock in front too, for tests. */
    public DropIn(JdbcSettings settings, KeyQueues queues, long longestFrontWaitNanos) {
        this.settings = settings;
        this.groups = settings.groups();
        this.longestFrontWaitNanos = longestFrontWaitNanos;
        this.queues = queues;
        this.management = Management.register(settings.name(), this);
        LOG.log(
                Level.INFO,
                "Rowlock looks at the statements of {0}: mode {1}, tables {2}, without {3}, release {4}, group {6}; switch it"
                        + " at run time by"
                        + " JMX: {5}",
                settings.name(),
                settings.mode(),
                settings.include().isEmpty() ? "all" : settings.include(),
                settings.exclude().isEmpty() ? "none" : settings.exclude(),
                getRelease(),
                management,
                getGroup());
    }

    public RowlockMode mode() {
        return settings.mode();
    }

    /** Whether commits let go of a row that others want before they are durable. */
    boolean releasesEarly() {
        JdbcSettings now = settings;
        return now.release() == LockRelease.EARLY && now.mode() != RowlockMode.OFF && now.mode() != RowlockMode.OBSERVE;
    }

    /** Null where none are made. */
    @Nullable
    Groups groups() {
        return groups;
    }

    /**
     * What is known of a text. One that is too long to be looked into is mostly made for one use, with its values in
     * it, and is not kept: a thousand of them would fill the heap.
     */
    public StatementPlan plan(String sql) {
        return sql.length() > StatementRecogniser.LONGEST
                ? new StatementPlan(sql, this)
                : plans.get(sql, text -> new StatementPlan(text, this));
    }

    JdbcSettings settings() {
        return settings;
    }

    KeyQueues queues() {
        return queues;
    }

    PrimaryKeys primaryKeys() {
        return primaryKeys;
    }

    HotRows hotRows() {
        return hotRows;
    }

    EarlyCommits earlyCommits() {
        return earlyCommits;
    }

    TableFigures figures(String table) {
        TableFigures known = figures.get(table);
        if (known != null) {
            return known;
        }
        return figures.computeIfAbsent(figures.size() < TABLES ? table : OTHER_TABLES, name -> new TableFigures());
    }

    /** The timeouts that sessions were last seen with. */
    ByConnection<SessionTimeouts> timeouts() {
        return timeouts;
    }

    ByConnection<FrontRights> rights() {
        return rights;
    }

    /**
     * The bound of a statement's wait for a lock in front, in milliseconds; the server has the session's own timeouts,
     * and makes it shorter.
     *
     * @param queryTimeout in seconds, 0 for none
     */
    int frontMillis(int queryTimeout) {
        long own = queryTimeout == 0 ? Long.MAX_VALUE : TimeUnit.SECONDS.toMillis(queryTimeout) / Turns.PART_OF_TIMEOUT;
        return (int) Math.min(TimeUnit.NANOSECONDS.toMillis(longestFrontWaitNanos), own);
    }

    /** For how long no lock goes in front of a row whose lock in front was waited for too long. */
    long frontOffNanos() {
        return FRONT_OFF_TIMES * longestFrontWaitNanos;
    }

    @Override
    public String getMode() {
        return mode().toString();
    }

    @Override
    public void setMode(String mode) {
        setMode(RowlockMode.of(mode));
    }

    public void setMode(RowlockMode mode) {
        settings = settings.with(mode);
        LOG.log(Level.INFO, "Rowlock: mode {0} for {1}", mode, settings.name());
    }

    @Override
    public String getRelease() {
        return settings.release().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void setRelease(String release) {
        settings = settings.with(JdbcSettings.release(release));
        LOG.log(Level.INFO, "Rowlock: release {0} for {1}", getRelease(), settings.name());
    }

    @Override
    public String getGroup() {
        return settings.largestGroup() < 2 ? "off" : Integer.toString(settings.largestGroup());
    }

    @Override
    public void setGroup(String group) {
        settings = settings.withGroup(JdbcSettings.group(group));
        groups = settings.groups();
        LOG.log(Level.INFO, "Rowlock: group {0} for {1}", getGroup(), settings.name());
    }

    @Override
    public List<String> getInclude() {
        return settings.include();
    }

    @Override
    public void setInclude(List<String> tables) {
        settings = settings.withTables(tables, settings.exclude());
    }

    @Override
    public List<String> getExclude() {
        return settings.exclude();
    }

    @Override
    public void setExclude(List<String> tables) {
        settings = settings.withTables(settings.include(), tables);
    }

    @Override
    public Map<String, Map<String, Long>> getFigures() {
        Map<String, Map<String, Long>> all = new TreeMap<>();
        figures.forEach((table, each) -> all.put(table, each.asMap()));
        return all;
    }

    @Override
    public Map<String, Long> getHotRows() {
        return hotRows.asMap();
    }

    @Override
    public int getQueued() {
        return queues.queued();
    }

    /** Takes it out of JMX. Connections go on as they are. */
    @Override
    public void close() {
        management.close();
    }
}
