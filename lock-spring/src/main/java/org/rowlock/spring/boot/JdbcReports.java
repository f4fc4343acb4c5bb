package org.rowlock.spring.boot;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockJdbcMXBean;
import org.springframework.util.ClassUtils;

/** Reads the figures that lock-jdbc has counted for the DataSources that it wraps. */
final class JdbcReports {
    private static final boolean IS_PRESENT =
            ClassUtils.isPresent("org.rowlock.jdbc.RowlockDataSource", JdbcReports.class.getClassLoader());

    private JdbcReports() {}

    static Map<String, RowLocksReport.Jdbc> of(Map<String, DataSource> dataSources) {
        Map<String, RowLocksReport.Jdbc> reports = new LinkedHashMap<>();
        if (IS_PRESENT) {
            controls(dataSources)
                    .forEach((name, control) -> reports.put(
                            name,
                            new RowLocksReport.Jdbc(
                                    control.getSettings().getOrDefault("mode", ""),
                                    control.getFigures(),
                                    control.getHotRows())));
        }
        return reports;
    }

    static Map<String, RowlockJdbcMXBean> controls(Map<String, DataSource> dataSources) {
        Map<String, RowlockJdbcMXBean> controls = new LinkedHashMap<>();
        // The beans that are wrappers are added first. A DataSource that delegates to such a bean has the same figures,
        // and is skipped.
        for (Class<?> type : List.of(RowlockDataSource.class, DataSource.class)) {
            dataSources.forEach((name, dataSource) -> {
                RowlockJdbcMXBean control = type.isInstance(dataSource) ? control(dataSource) : null;
                if (control != null && !controls.containsValue(control)) {
                    controls.put(name, control);
                }
            });
        }
        return controls;
    }

    /**
     * Returns the figures of a DataSource that is a wrapper of lock-jdbc, or delegates to such a wrapper. Returns null
     * for any other DataSource.
     */
    static @Nullable RowlockJdbcMXBean control(DataSource dataSource) {
        try {
            return dataSource.isWrapperFor(RowlockDataSource.class)
                    ? dataSource.unwrap(RowlockDataSource.class).control()
                    : null;
        } catch (SQLException | RuntimeException e) {
            // The DataSource cannot be unwrapped, or has no target now, for example a routing DataSource without a
            // default.
            return null;
        }
    }
}
