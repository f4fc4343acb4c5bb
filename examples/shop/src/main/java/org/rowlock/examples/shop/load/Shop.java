package org.rowlock.examples.shop.load;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.rowlock.examples.shop.ShopApplication;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;

/** An instance of the shop in this JVM, on its own port. */
record Shop(ConfigurableApplicationContext context) implements AutoCloseable {

    /**
     * Starts an instance.
     *
     * @param properties the properties as on the command line, such as {@code spring.profiles.active=row}
     */
    static Shop start(List<String> properties) {
        List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--logging.level.root=warn"));
        properties.forEach(property -> arguments.add("--" + property));
        return new Shop(new SpringApplicationBuilder(ShopApplication.class)
                .bannerMode(Banner.Mode.OFF)
                .registerShutdownHook(false)
                .run(arguments.toArray(String[]::new)));
    }

    /** Returns the URL of the instance's database, in the form that {@code ./rowlock doctor} accepts. */
    String database() {
        return context.getBean(JdbcConnectionDetails.class).getJdbcUrl();
    }

    URI uri() {
        return URI.create("http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port"));
    }

    /** Ends the instance after its running requests. */
    @Override
    public void close() {
        context.close();
    }
}
