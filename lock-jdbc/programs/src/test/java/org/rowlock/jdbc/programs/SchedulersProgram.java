package org.rowlock.jdbc.programs;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.states.StateName;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.rowlock.testing.TestDatabase;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock, db-scheduler and JobRunr. */
public final class SchedulersProgram implements Program {
    /** The count of JobRunr's jobs. It is static, because JobRunr calls a static method. */
    private static final AtomicInteger DONE = new AtomicInteger();

    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        List<String> out = new ArrayList<>();
        shedLock(dataSource, out);
        dbScheduler(dataSource, out);
        jobRunr(dataSource, out);
        return out;
    }

    private static void shedLock(DataSource dataSource, List<String> out) throws Exception {
        new JdbcTemplate(dataSource)
                .execute("create table shedlock(name varchar(64) not null, lock_until timestamp not null,"
                        + " locked_at timestamp not null, locked_by varchar(255) not null, primary key (name))");
        for (LockProvider locks : List.of(
                new JdbcTemplateLockProvider(dataSource),
                new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                        .withJdbcTemplate(new JdbcTemplate(dataSource))
                        .usingDbTime()
                        .build()))) {
            SimpleLock lock = lock(locks, "report");
            out.add("locked twice " + locks.lock(configuration("report")).isPresent());
            lock.extend(Duration.ofMinutes(6), Duration.ZERO).ifPresent(SimpleLock::unlock);
            int[] sum = {0};
            Concurrently.run(4, 5, () -> {
                SimpleLock mine = lock(locks, "sum");
                sum[0]++;
                mine.unlock();
            });
            out.add("sum " + sum[0]);
        }
    }

    private static SimpleLock lock(LockProvider locks, String name) {
        return TestDatabase.await("lock " + name)
                .atMost(TestDatabase.DEADLINE.multipliedBy(3))
                .until(() -> locks.lock(configuration(name)).orElse(null), lock -> lock != null);
    }

    private static LockConfiguration configuration(String name) {
        return new LockConfiguration(Instant.now(), name, Duration.ofMinutes(5), Duration.ZERO);
    }

    private static void dbScheduler(DataSource dataSource, List<String> out) throws Exception {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table scheduled_tasks (task_name text not null, task_instance text not null,"
                    + " task_data bytea, execution_time timestamptz, picked boolean not null, picked_by text,"
                    + " last_success timestamptz, last_failure timestamptz, consecutive_failures int,"
                    + " last_heartbeat timestamptz, version bigint not null, priority smallint,"
                    + " primary key (task_name, task_instance))");
        }
        for (boolean lockAndFetch : new boolean[] {false, true}) {
            AtomicInteger done = new AtomicInteger();
            AtomicInteger failed = new AtomicInteger();
            OneTimeTask<Void> once = Tasks.oneTime("once" + lockAndFetch).execute((task, context) -> {
                if (task.getId().equals("3") && failed.getAndIncrement() == 0) {
                    throw new IllegalStateException("once, on purpose");
                }
                done.incrementAndGet();
            });
            List<Scheduler> schedulers = new ArrayList<>();
            for (String name : List.of("one", "two")) {
                var builder = Scheduler.create(dataSource, once)
                        .startTasks(Tasks.recurring("often" + lockAndFetch, FixedDelay.ofMillis(50))
                                .execute((task, context) -> {}))
                        .pollingInterval(Duration.ofMillis(50))
                        .heartbeatInterval(Duration.ofMinutes(10))
                        .schedulerName(() -> name)
                        .threads(3);
                if (lockAndFetch) {
                    builder.pollUsingLockAndFetch(0.5, 1.0);
                }
                schedulers.add(builder.build());
            }
            try {
                for (int i = 0; i < 10; i++) {
                    schedulers
                            .get(i % 2)
                            .schedule(once.instance("" + i), Instant.now().minusMillis(1));
                }
                schedulers.get(0).schedule(once.instance("late"), Instant.now().plusSeconds(3600));
                schedulers
                        .get(0)
                        .reschedule(once.instance("late"), Instant.now().plusSeconds(7200));
                schedulers.get(1).cancel(once.instance("late"));
                schedulers.forEach(Scheduler::start);
                TestDatabase.await("a failure").until(() -> failed.get() > 0);
                TestDatabase.await("to be tried again")
                        .ignoreExceptions()
                        .until(() -> done.get() >= 10
                                || schedulers.get(0).reschedule(once.instance("3"), Instant.now()) && done.get() >= 10);
            } finally {
                schedulers.forEach(Scheduler::stop);
            }
            out.add("done " + done);
        }
    }

    public static void count() {
        DONE.incrementAndGet();
    }

    private static void jobRunr(DataSource dataSource, List<String> out) {
        DONE.set(0);
        var storage = SqlStorageProviderFactory.using(dataSource);
        JobScheduler scheduler = JobRunr.configure()
                .useStorageProvider(storage)
                .useBackgroundJobServer(
                        BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                                .andPollIntervalInSeconds(5)
                                .andServerTimeoutPollIntervalMultiplicand(120)
                                .andWorkerCount(3),
                        false)
                .initialize()
                .getJobScheduler();
        try {
            // JobRunr rewrites the jobs scheduled for later when it starts. If one of them is deleted meanwhile, it
            // never starts to work.
            var deleted = scheduler.schedule(Instant.now().plusSeconds(3600), SchedulersProgram::count);
            scheduler.delete(deleted);
            JobRunr.getBackgroundJobServer().start();
            for (int i = 0; i < 10; i++) {
                scheduler.enqueue(SchedulersProgram::count);
            }
            scheduler.scheduleRecurrently("never", "0 0 1 1 *", SchedulersProgram::count);
            scheduler.deleteRecurringJob("never");
            TestDatabase.await("all are done")
                    .atMost(TestDatabase.DEADLINE.multipliedBy(2))
                    .until(() -> storage.countJobs(StateName.SUCCEEDED) == 10);
            out.add("done " + DONE);
        } finally {
            JobRunr.destroy();
        }
    }
}
