package org.rowlock.spring.internal.startup;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.rowlock.LockKey;
import org.rowlock.LockTransactionException;
import org.rowlock.LockVerificationException;
import org.rowlock.RowLocks;
import org.rowlock.RowlockException;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.internal.acquire.KnownTables;
import org.rowlock.internal.text.SqlState;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.RowLockDefinitionException;
import org.rowlock.spring.RowLockSettings;
import org.rowlock.spring.RowLockTemplate;
import org.rowlock.spring.SpringLocks;
import org.rowlock.spring.internal.call.DataSources;
import org.rowlock.spring.internal.proxy.LockChains;
import org.rowlock.spring.internal.proxy.LockChains.Usage;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.dao.DataAccessResourceFailureException;

/**
 * Finds faults at startup that would otherwise appear only later, as exceptions or as lost updates. Advisory locks must
 * exclude each other through the application's pool, and the tables must exist. Ids must have as many parts as the
 * primary keys, and tables with strategy ADVISORY must have a guard. The checks run after all beans have been created,
 * and therefore after migrations.
 */
public final class StartupVerification implements SmartInitializingSingleton {
    private static final Log LOG = LogFactory.getLog(StartupVerification.class);

    private static final String DROP_IN = "rowLockJdbcBeanPostProcessor";

    private static final Map<String, String> ACTIONS = Map.of(
            SqlState.FEATURE_NOT_SUPPORTED,
            "Use the JDBC driver of PostgreSQL, and a pool that unwraps to it. With several DataSources, name the"
                    + " transaction manager of the DataSource in which to lock: @Transactional(\"bean name\").",
            SqlState.READ_ONLY_SQL_TRANSACTION,
            "Connect to the primary with connections that may write. For an instance that only reads, set"
                    + " rowlock.enabled=false if it never calls a method with @RowLock, or rowlock.verify=false.");

    private final RowLocks locks;
    private final RowLockSettings settings;
    private final LockChains chains;
    private final DataSources dataSources;
    private final ConfigurableListableBeanFactory beans;

    public StartupVerification(SpringLocks locks, LockChains chains, ConfigurableListableBeanFactory beans) {
        this.locks = locks.locks();
        this.settings = locks.settings();
        this.chains = chains;
        this.dataSources = new DataSources(beans);
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        UnlockedMethods.checkMade(beans, chains, settings.unlockedMethods());
        chains.reportSelfInvocations(settings.unlockedMethods());
        try {
            if (settings.verify()) {
                verify();
            }
        } catch (LockVerificationException e) {
            throw refused(
                    e,
                    "Remove this cause, or connect to a PostgreSQL server whose advisory locks exclude each other, with"
                            + " a pool of at least two connections. If only advisory locks fail, you can set"
                            + " rowlock.strategy=row and rowlock.verify=false instead.");
        } catch (LockTransactionException e) {
            String action = ACTIONS.get(e.sqlState().orElse(""));
            // For any other SQLSTATE, the message of the exception itself contains the remedy.
            throw action == null ? e : refused(e, action);
        }
        LOG.info(summary());
    }

    private static RowLockDefinitionException refused(RowlockException e, String action) {
        return (RowLockDefinitionException)
                new RowLockDefinitionException(String.valueOf(e.getMessage()), action).initCause(e);
    }

    private void verify() {
        Map<DataSource, List<Usage>> byDataSource = chains.usages().stream()
                .collect(Collectors.groupingBy(
                        usage -> usage.dataSource().get(), LinkedHashMap::new, Collectors.toList()));
        boolean configured = !LockAccess.of(locks).tables().configured().isEmpty();
        if (byDataSource.isEmpty() && !configured) {
            verifyUnused();
            return;
        }
        if (configured && (byDataSource.isEmpty() || dataSources.hasDefault())) {
            byDataSource.putIfAbsent(dataSources.of(null), List.of());
        }
        Map<String, RowLockDefinitionException> wrong = new LinkedHashMap<>();
        Set<String> right = new HashSet<>();
        byDataSource.forEach(
                (dataSource, ofIt) -> check(new DataSourceVerification(locks).verify(dataSource), ofIt, wrong, right));
        // A configured table must exist in at least one database, and need not exist in every database.
        wrong.keySet().removeAll(right);
        for (RowLockDefinitionException first : wrong.values()) {
            throw first;
        }
    }

    /**
     * Checks the server and the pool if no table is known yet, because a lazy bean or a template may lock later. If the
     * database refuses locks, or if only lock-jdbc is in use, a failure is merely logged.
     */
    private void verifyUnused() {
        if (!dataSources.hasDefault()) {
            return;
        }
        try {
            DataSource unused = new DataSourceVerification(locks).verify(dataSources.of(null));
        } catch (LockTransactionException e) {
            LOG.warn("Advisory locks are not verified, and no bean has @RowLock: " + e.getMessage());
        } catch (RuntimeException e) {
            if (!isDropInAlone()) {
                throw e;
            }
            LOG.warn("Advisory locks are not verified, and only the drop-in (rowlock.jdbc.mode) is in use; its"
                    + " statements lock rows as they do without Rowlock. Do not lock through RowLocks or"
                    + " RowLockTemplate until this is fixed: "
                    + (e instanceof RowLockDefinitionException definition ? definition.problem() : e.getMessage()));
        }
    }

    private boolean isDropInAlone() {
        return beans.containsBean(DROP_IN)
                && Stream.of(RowLocks.class, RowLockTemplate.class)
                        .flatMap(type -> Stream.of(beans.getBeanNamesForType(type, true, false)))
                        .flatMap(name -> Stream.of(beans.getDependentBeans(name)))
                        .map(beans::getType)
                        .allMatch(type ->
                                type != null && type.getPackageName().startsWith(RowLock.class.getPackageName()));
    }

    private void check(
            DataSource dataSource,
            List<Usage> ofDataSource,
            Map<String, RowLockDefinitionException> wrong,
            Set<String> right) {
        try (Connection connection = dataSource.getConnection()) {
            TableCheck tables = new TableCheck(connection, locks);
            for (Usage usage : ofDataSource) {
                tables.check(usage);
            }
            for (String table : LockAccess.of(locks).tables().configured()) {
                try {
                    List<String> unused = tables.idColumns("The configuration of table " + table, table);
                    right.add(table);
                } catch (RowLockDefinitionException e) {
                    wrong.putIfAbsent(table, e);
                }
            }
            tables.checkGuards(settings.missingGuard());
        } catch (SQLException e) {
            throw new DataAccessResourceFailureException("The tables of @RowLock cannot be looked up at startup", e);
        }
    }

    private String summary() {
        List<Usage> usages = chains.usages();
        long methods = usages.stream()
                .map(usage -> usage.bean() + " " + usage.method())
                .distinct()
                .count();
        KnownTables known = LockAccess.of(locks).tables();
        String tables = Stream.concat(usages.stream().map(Usage::table), known.configured().stream())
                .distinct()
                .sorted()
                .map(table -> table + " (" + known.strategyOf(LockKey.row(table, 0)) + ")")
                .collect(Collectors.joining(", "));
        String verified = "Rowlock " + (settings.verify() ? "verified" : "not verified (rowlock.verify=false)") + ": ";
        String dropIn = beans.containsBean(DROP_IN)
                ? "the drop-in is in use, rowlock.jdbc.mode=" + beans.resolveEmbeddedValue("${rowlock.jdbc.mode:}")
                        + "; "
                : "";
        return verified + dropIn + methods + (methods == 1 ? " method" : " methods") + " with @RowLock, tables "
                + (tables.isEmpty() ? "none yet" : tables) + ", admission " + (settings.admission() ? "on" : "off");
    }
}
