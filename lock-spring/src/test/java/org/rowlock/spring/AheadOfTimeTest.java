package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.rowlock.testing.TestDatabase;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/**
 * Processes an application ahead of time, as for native images. Checks that the generated code compiles and locks, and
 * that the hints exist.
 */
@Tag("long")
@CompileWithForkedClassLoader
class AheadOfTimeTest {
    @RegisterExtension
    final TestDatabase database = new TestDatabase(
            "create table orders (id bigint primary key)",
            "insert into orders values (42)",
            "create table order_lines (order_id bigint, line int, primary key (order_id, line))");

    private static DataSource dataSource;

    public record LineId(long orderId, int line) {}

    public record OrderId(long value) {}

    public static class Command {
        private final long orderId;

        Command(long orderId) {
            this.orderId = orderId;
        }

        public long getOrderId() {
            return orderId;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableRowLocks
    @Import(CountableLocks.class)
    public static class Application {
        @Bean
        public DataSource dataSource() {
            return dataSource;
        }

        @Bean
        public PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        public Orders orders(DataSource dataSource) {
            return new Orders(new JdbcTemplate(dataSource));
        }
    }

    @Transactional
    public static class Orders {
        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @RowLock(table = "order_lines", id = "#lines.![{orderId, line}]", required = false)
        public int locks(List<LineId> lines, @RowLock(value = "orders", required = false) OrderId... orders) {
            return locks();
        }

        @RowLock(table = "orders", id = "#command.orderId")
        public int ship(Command command) {
            return locks();
        }

        private int locks() {
            return jdbc.queryForObject(
                    "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()",
                    Integer.class);
        }
    }

    @Test
    void whatIsGeneratedLocks() {
        dataSource = database.dataSource();
        process((generated, compiled) -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                context.setClassLoader(compiled.getClassLoader());
                initializer(compiled).initialize(context);
                context.refresh();
                Orders orders = context.getBean(Orders.class);
                assertThat(orders.ship(new Command(42))).isEqualTo(1);
                assertThat(orders.locks(List.of(new LineId(1, 1), new LineId(1, 2)), new OrderId(1)))
                        .isEqualTo(3);
            }
        });
    }

    @SuppressWarnings("unchecked")
    private static ApplicationContextInitializer<GenericApplicationContext> initializer(
            org.springframework.core.test.tools.Compiled compiled) {
        return (ApplicationContextInitializer<GenericApplicationContext>)
                compiled.getInstance(ApplicationContextInitializer.class);
    }

    @Test
    void hintsForTheAnnotationsAndWhatIsReadOfArguments() {
        dataSource = database.dataSource();
        process((generated, compiled) -> {
            RuntimeHints hints = generated.getRuntimeHints();
            assertThat(invocation(LineId.class, "orderId")).accepts(hints);
            assertThat(invocation(LineId.class, "line")).accepts(hints);
            assertThat(invocation(OrderId.class, "value")).accepts(hints);
            assertThat(invocation(Command.class, "getOrderId")).accepts(hints);
            assertThat(invocation(Orders.class, "ship")).accepts(hints);
            assertThat(invocation(RowLock.class, "table")).accepts(hints);
            assertThat(invocation(RowLock.Several.class, "value")).accepts(hints);
        });
    }

    /** In Spring Framework 7 the method is named onMethodInvocation, which 6.2 lacks. */
    @SuppressWarnings("removal")
    private static Predicate<RuntimeHints> invocation(Class<?> type, String method) {
        return reflection().onMethod(type, method).invoke();
    }

    @FunctionalInterface
    private interface Check {
        void check(TestGenerationContext generated, org.springframework.core.test.tools.Compiled compiled);
    }

    private static void process(Check check) {
        GenericApplicationContext context = new GenericApplicationContext();
        new AnnotatedBeanDefinitionReader(context).register(Application.class);
        TestGenerationContext generation = new TestGenerationContext(Application.class);
        new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        generation.writeGeneratedContent();
        Consumer<org.springframework.core.test.tools.Compiled> run = compiled -> check.check(generation, compiled);
        TestCompiler.forSystem().with(generation).compile(run);
    }
}
