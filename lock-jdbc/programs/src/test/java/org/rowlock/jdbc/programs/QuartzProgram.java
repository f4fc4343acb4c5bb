package org.rowlock.jdbc.programs;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import javax.sql.DataSource;
import org.quartz.CronScheduleBuilder;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.PersistJobDataAfterExecution;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.SchedulerRepository;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.calendar.WeeklyCalendar;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.impl.jdbcjobstore.PostgreSQLDelegate;
import org.quartz.impl.matchers.GroupMatcher;
import org.quartz.simpl.SimpleThreadPool;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;
import org.rowlock.testing.TestDatabase;

/** Quartz' clustered job store with two schedulers. */
final class QuartzProgram implements Program {
    private static final int JOBS = 6;
    private static final int FIRINGS = 8;

    @Override
    public List<String> run(DataSource dataSource) throws Exception {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                InputStream tables = JobStoreTX.class.getResourceAsStream("tables_postgres.sql")) {
            statement.execute(new String(tables.readAllBytes(), StandardCharsets.UTF_8));
        }
        String name = "quartz";
        DBConnectionManager.getInstance().addConnectionProvider(name, new Provider(dataSource));
        Scheduler one = scheduler(name, "one");
        Scheduler two = scheduler(name, "two");
        try {
            return work(one, two);
        } finally {
            one.shutdown(true);
            two.shutdown(true);
        }
    }

    private static List<String> work(Scheduler one, Scheduler two) throws Exception {
        List<String> out = new ArrayList<>();
        one.addCalendar("weekdays", new WeeklyCalendar(), true, true);
        for (int i = 0; i < JOBS; i++) {
            JobDetail job = JobBuilder.newJob(Counting.class)
                    .withIdentity("job" + i, "counting")
                    .usingJobData("count", 0)
                    .storeDurably()
                    .requestRecovery(i % 2 == 0)
                    .build();
            Trigger trigger = TriggerBuilder.newTrigger()
                    .withIdentity("trigger" + i, "counting")
                    .startNow()
                    .withSchedule(SimpleScheduleBuilder.simpleSchedule()
                            .withIntervalInMilliseconds(20)
                            .withRepeatCount(FIRINGS - 1)
                            .withMisfireHandlingInstructionIgnoreMisfires())
                    .build();
            (i % 2 == 0 ? one : two).scheduleJob(job, trigger);
        }
        one.scheduleJob(
                JobBuilder.newJob(Counting.class).withIdentity("rare").build(),
                TriggerBuilder.newTrigger()
                        .withIdentity("rare")
                        .withSchedule(CronScheduleBuilder.cronSchedule("0 0 0 1 1 ? 2099"))
                        .build());
        one.start();
        two.start();
        TestDatabase.await("all have fired")
                .atMost(TestDatabase.DEADLINE.multipliedBy(3))
                .until(() -> one.getTriggerKeys(GroupMatcher.triggerGroupEquals("counting"))
                        .isEmpty());
        TestDatabase.await("all are done").untilAsserted(() -> {
            List<String> counts = new ArrayList<>();
            for (int i = 0; i < JOBS; i++) {
                counts.add("job" + i + " " + count(two, i));
            }
            org.assertj.core.api.Assertions.assertThat(counts).allMatch(count -> count.endsWith(" " + FIRINGS));
        });
        for (int i = 0; i < JOBS; i++) {
            out.add("job" + i + " " + count(two, i));
        }
        administer(one, two, out);
        return out;
    }

    private static int count(Scheduler scheduler, int job) throws SchedulerException {
        return scheduler
                .getJobDetail(JobKey.jobKey("job" + job, "counting"))
                .getJobDataMap()
                .getInt("count");
    }

    /** What a console does. */
    private static void administer(Scheduler one, Scheduler two, List<String> out) throws SchedulerException {
        TriggerKey rare = TriggerKey.triggerKey("rare");
        one.pauseTrigger(rare);
        out.add("paused " + two.getTriggerState(rare));
        two.resumeTrigger(rare);
        out.add("resumed " + one.getTriggerState(rare));
        one.pauseJob(JobKey.jobKey("rare"));
        two.pauseAll();
        one.resumeAll();
        out.add("resumed " + one.getTriggerState(rare));
        two.rescheduleJob(
                rare,
                TriggerBuilder.newTrigger()
                        .withIdentity("rare")
                        .forJob("rare")
                        .withSchedule(CronScheduleBuilder.cronSchedule("0 0 0 2 1 ? 2099"))
                        .modifiedByCalendar("weekdays")
                        .build());
        one.addJob(
                JobBuilder.newJob(Counting.class)
                        .withIdentity("rare")
                        .storeDurably()
                        .withDescription("changed")
                        .build(),
                true);
        out.add("described " + two.getJobDetail(JobKey.jobKey("rare")).getDescription());
        one.addCalendar("weekdays", new WeeklyCalendar(), true, true);
        out.add("unscheduled " + two.unscheduleJob(rare));
        out.add("deleted " + one.deleteJobs(List.of(JobKey.jobKey("rare"), JobKey.jobKey("job0", "counting"))));
        out.add("calendar deleted " + two.deleteCalendar("weekdays"));
        out.add("left " + one.getJobKeys(GroupMatcher.anyGroup()).size());
        one.clear();
        out.add("left "
                + Collections.unmodifiableCollection(two.getJobKeys(GroupMatcher.anyGroup()))
                        .size());
    }

    private static Scheduler scheduler(String name, String instance) throws SchedulerException {
        Properties properties = new Properties();
        properties.setProperty("org.quartz.scheduler.instanceName", name);
        properties.setProperty("org.quartz.scheduler.instanceId", instance);
        properties.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        properties.setProperty("org.quartz.scheduler.idleWaitTime", "1000");
        properties.setProperty("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", "2");
        properties.setProperty("org.quartz.threadPool.class", SimpleThreadPool.class.getName());
        properties.setProperty("org.quartz.threadPool.threadCount", "3");
        properties.setProperty("org.quartz.jobStore.class", JobStoreTX.class.getName());
        properties.setProperty("org.quartz.jobStore.driverDelegateClass", PostgreSQLDelegate.class.getName());
        properties.setProperty("org.quartz.jobStore.dataSource", name);
        properties.setProperty("org.quartz.jobStore.isClustered", "true");
        properties.setProperty("org.quartz.jobStore.acquireTriggersWithinLock", "true");
        // So that a slow instance is never taken for a dead one, whose jobs would run twice.
        properties.setProperty("org.quartz.jobStore.clusterCheckinInterval", "600000");
        Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
        // One class loader would give the second instance of a cluster the first's scheduler.
        SchedulerRepository.getInstance().remove(name);
        return scheduler;
    }

    /** A job that counts its runs in its own data, which Quartz stores. */
    @DisallowConcurrentExecution
    @PersistJobDataAfterExecution
    public static class Counting implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            var data = context.getJobDetail().getJobDataMap();
            data.put("count", data.getInt("count") + 1);
        }
    }

    private record Provider(DataSource dataSource) implements ConnectionProvider {
        @Override
        public Connection getConnection() throws SQLException {
            return dataSource.getConnection();
        }

        @Override
        public void shutdown() {}

        @Override
        public void initialize() {}
    }
}
