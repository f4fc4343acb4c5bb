package org.rowlock.jdbc.internal.turn;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.rowlock.LockFront;
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

    private static final int TEXTS = 1024;
    private static final int TABLES = 1024;
    private static final String OTHER_TABLES = "(others)";

    private final KeyQueues queues;
    private final BoundedCache<String, StatementPlan> plans = new BoundedCache<>(TEXTS);
    private final Map<String, TableFigures> figures = new ConcurrentHashMap<>();
    private final PrimaryKeys primaryKeys = new PrimaryKeys();
    private final HotRows hotRows = new HotRows();
    private final EarlyCommits earlyCommits = new EarlyCommits();
    private final Map<Connection, SessionTimeouts> timeouts = Collections.synchronizedMap(new WeakHashMap<>());
    private final Map<Connection, Boolean> sessionLocks = Collections.synchronizedMap(new WeakHashMap<>());
    private final Management management;
    private volatile JdbcSettings settings;
    private volatile @Nullable Groups groups;
    private volatile boolean wantsFronts;

    public DropIn(JdbcSettings settings) {
        this(settings, QUEUES);
    }

    /** With queues of one's own, for tests. */
    public DropIn(JdbcSettings settings, KeyQueues queues) {
        this.settings = settings;
        this.groups = settings.groups();
        this.queues = queues;
        this.management = Management.register(settings.name(), this);
        LOG.log(
                Level.INFO,
                "Rowlock looks at the statements of {0}: mode {1}, tables {2}, without {3}, release {4}, group {6};"
                        + " switch it at run time by JMX: {5}",
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
    Map<Connection, SessionTimeouts> timeouts() {
        return timeouts;
    }

    /** The sessions that may hold advisory locks of their own beyond their transactions. */
    Map<Connection, Boolean> sessionLocks() {
        return sessionLocks;
    }

    /** Whether any lock was to go in front yet: until then no statement keeps its values for one that does. */
    public boolean wantsFronts() {
        return wantsFronts || settings.front() == LockFront.ALWAYS;
    }

    void wantFronts() {
        wantsFronts = true;
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
