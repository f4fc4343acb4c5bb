package org.rowlock.spring.internal.pool;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.SimpleAutowireCandidateResolver;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** The routes of an {@link AbstractRoutingDataSource}. Each is a database, with queues of its own. */
public final class Routes {
    private Routes() {}

    /** Returns the beans of an application by name, including those that are injected by a qualifier alone. */
    public static Map<String, DataSource> beans(ConfigurableListableBeanFactory beans) {
        return SimpleAutowireCandidateResolver.resolveAutowireCandidates(beans, DataSource.class);
    }

    /** Returns the DataSources of an application by name. Routes that are no beans are named {@code bean[key]}. */
    public static Map<String, DataSource> named(Map<String, DataSource> beans) {
        Map<String, DataSource> all = new LinkedHashMap<>(beans);
        beans.forEach((name, bean) -> of(bean).forEach((key, route) -> {
            if (!all.containsValue(route)) {
                all.put(name + '[' + key + ']', route);
            }
        }));
        return all;
    }

    /** Returns the routes by their keys, the default one first; empty for any other DataSource. */
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
     * Returns the current source of connections. It is the DataSource itself if it does not route, or if the route is
     * not known.
     */
    public static DataSource current(DataSource dataSource) {
        if (!(Pools.target(dataSource) instanceof AbstractRoutingDataSource routing)) {
            return dataSource;
        }
        try {
            // A routing DataSource unwraps to the result of its current route, so its protected methods need not be
            // called.
            for (DataSource route : of(routing).values()) {
                Class<? extends DataSource> type = route.getClass();
                if (!type.isInstance(routing) && routing.isWrapperFor(type)) {
                    return routing.unwrap(type);
                }
            }
        } catch (SQLException | IllegalStateException e) {
            // No route is chosen yet. The caller that requests the connection gets the error.
        }
        return dataSource;
    }
}
