package org.rowlock.examples.shop.load;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;

/** Shops on the schema of one test. All end before the schema is looked at for locks that were left behind. */
final class ShopFixture implements BeforeEachCallback, AfterEachCallback {
    final TestDatabase database = new TestDatabase();

    /** Where the database is, as properties. */
    List<String> properties() {
        return List.of(
                "spring.datasource.url=" + database.dataSource().getURL(),
                "spring.datasource.username=" + TestPostgres.shared().user(),
                "spring.datasource.password=" + TestPostgres.shared().password(),
                // A slow machine is no failure.
                "spring.datasource.hikari.connection-timeout=" + TestDatabase.DEADLINE.toMillis(),
                "rowlock.lock-wait=forever");
    }

    /** Starts a shop; properties that are given again replace those above, as on a command line they would be added. */
    Shop start(String... more) {
        Map<String, String> properties = new LinkedHashMap<>();
        Stream.concat(properties().stream(), Arrays.stream(more))
                .forEach(property -> properties.put(property.split("=", 2)[0], property));
        return database.closing(Shop.start(List.copyOf(properties.values())));
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        database.beforeEach(context);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        database.afterEach(context);
    }
}
