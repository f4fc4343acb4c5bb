package org.rowlock.spring.internal.pool;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.SimpleAutowireCandidateResolver;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * The routes of an {@link AbstractRoutingDataSource}. Each route has separate queues, because each route is a separate
 * database.
 */
public final class Routes {
    private Routes() {}

    /** Returns the DataSource beans by name, without beans that are declared with {@code autowireCandidate = false}. */
    public static Map<String, DataSource> beans(ConfigurableListableBeanFactory beans) {
        return SimpleAutowireCandidateResolver.resolveAutowireCandidates(beans, DataSource.class);
    }

    /** Returns the routes by their keys, the default route first; empty if the DataSource does not route. */
    public static Map<String, DataSource> of(DataSource dataSource) {
        Map<String, DataSource> routes = new LinkedHashMap<>();
        if (Pools.target(dataSource) instanceof AbstractRoutingDataSource routing) {
            Map<Object, DataSource> resolved = routing.getResolvedDataSources();
            DataSource first = routing.getResolvedDefaultDataSource();
            if (first != null) {
                Object key = resolved.keySet().stream()
                        .filter(each -> first.equals(resolved.get(each)))
                        .findFirst()
                        .orElse("default");
                routes.put(key.toString(), first);
            }
            resolved.forEach((key, route) -> routes.putIfAbsent(key.toString(), route));
        }
        return routes;
    }

    /**
     * Returns the DataSource that now provides connections: the current route of a routing DataSource. If there is no
     * route, or the route cannot be determined, returns the given DataSource.
     */
    public static DataSource current(DataSource dataSource) {
        if (!(Pools.target(dataSource) instanceof AbstractRoutingDataSource routing)) {
            return dataSource;
        }
        try {
            // A routing DataSource delegates unwrap to its current route. The method that determines the route is
            // protected, so unwrap is used instead.
            for (DataSource route : of(routing).values()) {
                Class<? extends DataSource> type = route.getClass();
                if (!type.isInstance(routing) && routing.isWrapperFor(type)) {
                    return routing.unwrap(type);
                }
            }
        } catch (SQLException | RuntimeException e) {
            // The current route cannot be determined. Borrowing a connection will report the error.
        }
        return dataSource;
    }
}
