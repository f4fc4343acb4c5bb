package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.RowLocks;
import org.rowlock.spring.RowLock;
import org.rowlock.spring.SpringLocks;
import org.rowlock.testing.TestDatabase;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Runs an application in a separate class loader, whose class path lacks all optional libraries. */
@Tag("long")
class BareClassPathTest {
    private static final Pattern OPTIONAL = Pattern.compile(
            "(micrometer-(core|jakarta9)|spring-boot(-starter)?-(actuator|micrometer|health|data-jpa|data-jdbc|hibernate|jpa)"
                    + "|spring-(batch|orm|data|web)|hibernate-|jakarta\\.persistence|tomcat-|spring-boot-tomcat).*\\.jar");

    @RegisterExtension
    final TestDatabase database =
            new TestDatabase("create table orders (id bigint primary key)", "insert into orders values (42)");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    public static class Application {
        /** Returns the number of advisory locks that a call held. */
        public static int locks(String url, String user, String password) {
            var context = new SpringApplicationBuilder(Application.class)
                    .run(
                            "--spring.datasource.url=" + url,
                            "--spring.datasource.username=" + user,
                            "--spring.datasource.password=" + password,
                            "--rowlock.strategy=both");
            assertThat(context.getBeanNamesForType(RowLocks.class)).hasSize(1);
            assertThat(context.getBean(SpringLocks.class).observations().isNoop())
                    .isTrue();
            return context.getBean(Orders.class).ship(42);
        }
    }

    public static class Orders {
        private final JdbcTemplate jdbc;

        public Orders(DataSource dataSource) {
            jdbc = new JdbcTemplate(dataSource);
        }

        @Transactional
        public int ship(@RowLock("orders") long orderId) {
            Integer locks = jdbc.queryForObject(
                    "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()",
                    Integer.class);
            return locks == null ? -1 : locks;
        }
    }

    @Test
    void locksWithoutMicrometerActuatorAndJpa() throws Exception {
        PGSimpleDataSource dataSource = database.dataSource();
        ClassLoader ofTest = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader bare = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            for (String absent : List.of(
                    "io.micrometer.core.instrument.MeterRegistry",
                    "org.springframework.boot.actuate.endpoint.annotation.Endpoint",
                    "jakarta.persistence.EntityManager",
                    "org.springframework.orm.jpa.JpaTransactionManager")) {
                assertThatThrownBy(() -> bare.loadClass(absent)).isInstanceOf(ClassNotFoundException.class);
            }
            Thread.currentThread().setContextClassLoader(bare);
            Object locks = bare.loadClass(Application.class.getName())
                    .getMethod("locks", String.class, String.class, String.class)
                    .invoke(null, dataSource.getUrl(), dataSource.getUser(), dataSource.getPassword());
            assertThat(locks).isEqualTo(1);
        } finally {
            Thread.currentThread().setContextClassLoader(ofTest);
        }
    }

    private static URL[] classPath() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(entry);
            if (!OPTIONAL.matcher(path.getFileName().toString()).matches()) {
                urls.add(path.toUri().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }
}
