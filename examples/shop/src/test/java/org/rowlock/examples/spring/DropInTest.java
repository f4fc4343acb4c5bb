package org.rowlock.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.RowlockJdbcMXBean;
import org.rowlock.testing.Session;
import org.rowlock.testing.TcpProxy;
import org.rowlock.testing.TestDatabase;
import org.rowlock.testing.TestPostgres;
import org.rowlock.testing.Threads;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The application as it was, with Hibernate and {@code @Lock(PESSIMISTIC_WRITE)}, and one line of configuration more.
 */
@Tag("long")
class DropInTest {
    private static final int THREADS = 20;

    /** As many of them as want a row at once are let through to the server. */
    private static final int FEW = 8;

    /** Two questions at least 50 ms apart are answered by then, even if each crowd asks only once. */
    private static final int MOST_CROWDS = 20;

    /** Knows nothing of Rowlock. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(JpaBefore.class)
    static class Before {}

    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table account(id bigint primary key, balance bigint not null default 0)",
            "insert into account values (1)");

    private TcpProxy network;

    /** Without a network, a hold may take less time than waking a thread, and then more than a few are let through. */
    @BeforeEach
    void delay() throws IOException {
        network = database.closing(TcpProxy.to(database.dataSource()));
        network.delayOnly();
        network.delay(Duration.ofMillis(1), Duration.ofMillis(1));
    }

    private ConfigurableApplicationContext start(String... changed) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.datasource.url="
                        + network.through(database.dataSource()).getURL(),
                "--spring.datasource.username=" + TestPostgres.shared().user(),
                "--spring.datasource.password=" + TestPostgres.shared().password(),
                "--spring.datasource.hikari.maximum-pool-size=" + THREADS,
                "--spring.sql.init.mode=never",
                "--spring.main.banner-mode=off"));
        arguments.addAll(List.of(changed));
        return database.closing(new SpringApplicationBuilder(Before.class)
                .web(WebApplicationType.NONE)
                .run(arguments.toArray(String[]::new)));
    }

    /** Deposits 1 by each of many threads, while another holds the row until something is seen. */
    private void depositByMany(ConfigurableApplicationContext application, Callable<Boolean> seen) throws Exception {
        Deposits deposits = application.getBean(JpaBefore.class);
        Session holder = database.session("holder");
        holder.execute("select from account where id = 1 for no key update");
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            all.add(Threads.start(() -> {
                deposits.deposit(1, 1);
                return null;
            }));
        }
        TestDatabase.await().until(seen);
        holder.commit();
        for (Future<?> each : all) {
            TestDatabase.result(each);
        }
    }

    @Test
    void withOneLineMoreAFewWaitAtTheServerAndWithASettingAllDoAgain() throws Exception {
        ConfigurableApplicationContext application = start("--rowlock.jdbc.mode=queue");
        RowlockJdbcMXBean control = application
                .getBean(DataSource.class)
                .unwrap(RowlockDataSource.class)
                .control();
        // The first makes the table's key known.
        application.getBean(JpaBefore.class).deposit(1, 1);

        // The first crowds wait at the server, until Rowlock has counted the clients without it.
        AtomicBoolean queues = new AtomicBoolean();
        int crowds = 0;
        while (!queues.get()) {
            assertThat(++crowds).isLessThanOrEqualTo(MOST_CROWDS);
            depositByMany(application, () -> {
                long queued = control.getQueued();
                int waiting = database.waiting();
                queues.set(queued == THREADS - FEW && waiting == FEW);
                // If the answer arrives while a crowd arrives, more than a few of this crowd are at the server.
                return queued + waiting == THREADS;
            });
        }
        assertThat(database.query("select balance from account")).isEqualTo(Integer.toString(crowds * THREADS + 1));

        control.set("mode", "off");
        depositByMany(application, () -> control.getQueued() == 0 && database.waiting() == THREADS);
        crowds++;
        assertThat(database.query("select balance from account")).isEqualTo(Integer.toString(crowds * THREADS + 1));
    }
}
