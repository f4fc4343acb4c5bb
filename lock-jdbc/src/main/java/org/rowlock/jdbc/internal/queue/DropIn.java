package org.rowlock.jdbc.internal.queue;

import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.rowlock.internal.group.SharedTransactions;
import org.rowlock.internal.queue.KeyQueues;
import org.rowlock.internal.session.PrimaryKeys;
import org.rowlock.internal.text.Log;
import org.rowlock.internal.text.Tokens;
import org.rowlock.jdbc.DropInMode;
import org.rowlock.jdbc.RowlockJdbcMXBean;
import org.rowlock.jdbc.internal.observe.HotRows;
import org.rowlock.jdbc.internal.observe.TableFigures;
import org.rowlock.jdbc.internal.row.StatementPlan;
import org.rowlock.jdbc.internal.settings.JdbcSettings;

/** The state that the connections of one DataSource or URL share. Thread-safe. */
public final class DropIn implements RowlockJdbcMXBean, AutoCloseable {
    /** The queues for rows of all databases. The hash of a row includes its database. */
    private static final KeyQueues QUEUES = KeyQueues.adaptive(0);

    private static final int TEXTS = 1024;
    private static final int TABLES = 1024;
    private static final String OTHER_TABLES = "(others)";

    final KeyQueues queues;
    final PrimaryKeys primaryKeys = new PrimaryKeys();
    final HotRows hotRows = new HotRows();

    /** The shortest timeout of each session in nanoseconds, as Rowlock last read it from the server. */
    final Map<Connection, Long> timeouts = Collections.synchronizedMap(new WeakHashMap<>());

    /** The sessions that may hold session-level advisory locks. */
    final Map<Connection, Boolean> sessionLocks = Collections.synchronizedMap(new WeakHashMap<>());

    private final Map<String, StatementPlan> plans = new ConcurrentHashMap<>();
    private final Map<String, TableFigures> figures = new ConcurrentHashMap<>();
    private final @Nullable ObjectName management;
    volatile JdbcSettings settings;

    /** The groups of UPDATEs; null while groups are off. */
    volatile @Nullable SharedTransactions groups;

    public DropIn(JdbcSettings settings) {
        this(settings, QUEUES);
    }

    /** Creates a drop-in with separate queues, for tests. */
    public DropIn(JdbcSettings settings, KeyQueues queues) {
        this.settings = settings;
        this.groups = groups(settings);
        this.queues = queues;
        this.management = register(settings.name(), this);
        Log.info("Rowlock examines the statements of " + settings.name() + ": " + settings.words()
                + "; change its settings at run time through JMX: " + management);
        JdbcSettings.unknownProperties().forEach(each -> Log.warn(each, null));
        primaryKeys.expect(settings.include(), settings.exclude());
    }

    /**
     * Registers a bean in JMX. If its name is taken, adds a number to the name. Returns null if the registration fails,
     * because everything else works without JMX.
     */
    private static synchronized @Nullable ObjectName register(String name, DropIn bean) {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            for (int number = 1; ; number++) {
                String numbered = ObjectName.quote(number == 1 ? name : name + "-" + number);
                ObjectName objectName = new ObjectName("org.rowlock:type=Jdbc,name=" + numbered);
                if (!server.isRegistered(objectName)) {
                    server.registerMBean(bean, objectName);
                    return objectName;
                }
            }
        } catch (JMException e) {
            Log.warn("Rowlock could not be registered in JMX; everything else works", e);
            return null;
        }
    }

    public DropInMode mode() {
        return settings.mode();
    }

    /**
     * Returns the plan of a statement. A text that is too long to be examined is not cached. Such a text usually
     * contains literal values, and is used only once. A thousand such texts could fill the heap.
     */
    public StatementPlan plan(String sql) {
        if (sql.length() > Tokens.LONGEST) {
            return StatementPlan.of(sql, this::figures, groups != null);
        }
        StatementPlan known = plans.get(sql);
        if (known == null) {
            if (plans.size() >= TEXTS) {
                plans.clear();
            }
            known = plans.computeIfAbsent(sql, text -> StatementPlan.of(text, this::figures, groups != null));
        }
        return known;
    }

    private TableFigures figures(String table) {
        boolean own = figures.size() < TABLES || figures.containsKey(table);
        return figures.computeIfAbsent(own ? table : OTHER_TABLES, name -> new TableFigures());
    }

    @Override
    public Map<String, String> getSettings() {
        return settings.words();
    }

    @Override
    public void set(String key, String word) {
        settings = settings.with(key, word);
        primaryKeys.expect(settings.include(), settings.exclude());
        groups = groups(settings);
        plans.clear();
        Log.info("Rowlock for " + settings.name() + ": " + settings.words());
    }

    private static @Nullable SharedTransactions groups(JdbcSettings settings) {
        return settings.largestGroup() < 2 ? null : new SharedTransactions(settings.largestGroup());
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

    @Override
    public void close() {
        try {
            if (management != null) {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(management);
            }
        } catch (JMException e) {
            Log.debug("The bean was no longer registered", e);
        }
    }
}
