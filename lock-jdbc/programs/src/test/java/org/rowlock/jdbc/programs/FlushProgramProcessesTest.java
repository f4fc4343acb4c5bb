package org.rowlock.jdbc.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.LockModeType;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.jdbc.CommitFlush;
import org.rowlock.jdbc.RowlockDataSource;
import org.rowlock.jdbc.programs.FlushProgramGraph.Item;
import org.rowlock.jdbc.programs.FlushProgramGraph.Plain;
import org.rowlock.jdbc.programs.FlushProgramGraph.Single;
import org.rowlock.testing.ChildJvm;
import org.rowlock.testing.TestDatabase;

/**
 * Two processes of Hibernate change the same rows, while their connections are ended at random. What a process is told
 * is what is stored, and no update is lost: with the flush in the COMMIT, and without Rowlock.
 */
@Tag("long")
class FlushProgramProcessesTest {
    private static final int PROCESSES = 2;
    private static final int THREADS = 4;
    private static final int TRANSACTIONS = 300;
    private static final int ROWS = 10;
    private static final String READY = "ready";
    private static final String DONE = "done";

    @RegisterExtension
    final TestDatabase database = new TestDatabase();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsToldIsStoredAndNothingIsLost(boolean keeps) throws Exception {
        FlushProgram.factory(database.dataSource(), 0, "create", database.schema())
                .close();
        database.execute(
                "insert into single(id, version, number, dtype) select i, 0, 0, 'single' from generate_series(1, "
                        + ROWS + ") i",
                "insert into plain(id, first) select i, 0 from generate_series(1, " + ROWS + ") i");
        List<Process> processes = new ArrayList<>();
        Queue<String> said = new ConcurrentLinkedQueue<>();
        try {
            for (int i = 1; i <= PROCESSES; i++) {
                processes.add(ChildJvm.start(
                        Main.class,
                        "128m",
                        ProcessBuilder.Redirect.DISCARD,
                        said,
                        database.dataSource(),
                        Integer.toString(i),
                        Boolean.toString(keeps)));
            }
            await(processes, said, READY, () -> "");
            for (Process each : processes) {
                each.getOutputStream().close();
            }
            await(processes, said, DONE, this::endOne);
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        assertThat(said).noneMatch(line -> line.startsWith(ChildJvm.UNREADABLE));
        assertThat(numbers(said, "wrong")).isEmpty();
        assertThat(numbers(said, "committed")).hasSizeGreaterThan(PROCESSES * THREADS * TRANSACTIONS / 4);
        assertThat(numbers(said, "lost")).isNotEmpty();
        assertThat(numbers(said, "failed")).isNotEmpty();
        List<String> stored = List.of(
                database.query("select string_agg(price::text, ' ') from item").split(" "));
        assertThat(stored)
                .doesNotHaveDuplicates()
                .containsAll(numbers(said, "committed"))
                .doesNotContainAnyElementsOf(numbers(said, "failed"));
        for (String sum : List.of("number) from single", "version) from single", "first) from plain")) {
            assertThat(database.query("select sum(" + sum)).as(sum).isEqualTo(Integer.toString(stored.size()));
        }
        if (keeps) {
            assertThat(numbers(said, "kept")).doesNotContain("0");
        }
    }

    private static List<String> numbers(Queue<String> said, String outcome) {
        return said.stream()
                .filter(line -> line.startsWith(outcome + " "))
                .map(line -> line.substring(outcome.length() + 1))
                .toList();
    }

    private static void await(List<Process> processes, Queue<String> said, String word, Callable<?> meanwhile) {
        Awaitility.await(word)
                .atMost(TestDatabase.DEADLINE.multipliedBy(5))
                .pollInterval(Duration.ofMillis(300))
                .failFast(
                        "A process has ended",
                        () -> processes.stream().anyMatch(each -> !each.isAlive()) && !said.contains(DONE))
                .until(() -> {
                    meanwhile.call();
                    return said.stream().filter(word::equals).count() == PROCESSES;
                });
    }

    private String endOne() throws SQLException {
        return database.query("select count(pg_terminate_backend(pid)) from (select pid from pg_stat_activity where"
                + " application_name = '" + database.schema() + "' and pid <> pg_backend_pid() and state <> 'idle'"
                + " order by random() limit 1) one");
    }

    /** One of the processes. It writes the outcome of each transaction, whose number is also in the ledger. */
    static final class Main {
        private final SessionFactory sessions;
        private final boolean keeps;

        private Main(SessionFactory sessions, boolean keeps) {
            this.sessions = sessions;
            this.keeps = keeps;
        }

        public static void main(String[] args) throws Exception {
            PGSimpleDataSource plain = ChildJvm.database(args);
            int number = Integer.parseInt(args[3]);
            boolean keeps = Boolean.parseBoolean(args[4]);
            try (RowlockDataSource wrapped = RowlockDataSource.wrap(plain, "test", Map.of("flushWithCommit", "true"));
                    HikariDataSource pool = pool(keeps ? wrapped : plain);
                    SessionFactory sessions = FlushProgram.factory(pool, 20, "none", "process")) {
                System.out.println(READY);
                int unused = System.in.read();
                List<Thread> threads = Stream.iterate(1, i -> i + 1)
                        .limit(THREADS)
                        .map(i -> new Thread(() -> new Main(sessions, keeps).run(number * 10 + i)))
                        .toList();
                threads.forEach(Thread::start);
                for (Thread thread : threads) {
                    thread.join();
                }
                System.out.println("kept "
                        + wrapped.control().getFigures().values().stream()
                                .mapToLong(each -> each.get("kept"))
                                .sum());
                System.out.println(DONE);
            }
        }

        private static HikariDataSource pool(DataSource dataSource) {
            HikariConfig config = new HikariConfig();
            config.setDataSource(dataSource);
            config.setMaximumPoolSize(THREADS);
            return new HikariDataSource(config);
        }

        private void run(int thread) {
            Random random = new Random(thread);
            for (int i = 0; i < TRANSACTIONS; i++) {
                int number = thread * 1_000_000 + i;
                String outcome = transaction(random, number);
                // Any other outcome fails the test.
                System.out.println(
                        switch (outcome) {
                            case "committed", FlushProgram.LOST -> outcome + " " + number;
                            case "stale", "40P01", "40001" -> "failed " + number;
                            default -> "wrong " + outcome;
                        });
            }
        }

        private String transaction(Random random, int number) {
            try (Session session = sessions.openSession()) {
                session.beginTransaction();
                try {
                    Single single = session.find(Single.class, 1 + random.nextInt(ROWS));
                    Plain plain = session.find(Plain.class, 1 + random.nextInt(ROWS), LockModeType.PESSIMISTIC_WRITE);
                    if (single == null || plain == null) {
                        // Hibernate 7 answers so if the connection is lost.
                        FlushProgram.rollBack(session);
                        return FlushProgram.LOST;
                    }
                    single.number++;
                    plain.first++;
                    Item entry = new Item();
                    entry.price = number;
                    session.persist(entry);
                    if (keeps) {
                        session.doWork(connection -> CommitFlush.open(connection, FlushProgramGraph.CHECKED::contains));
                    }
                    session.getTransaction().commit();
                    return "committed";
                } catch (RuntimeException e) {
                    FlushProgram.rollBack(session);
                    return FlushProgram.meaning(e);
                }
            }
        }
    }
}
