package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rowlock.spring.RowLockTests.assertBadDefinition;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.rowlock.LockStrategy;
import org.rowlock.RowLocks;
import org.rowlock.internal.access.LockAccess;
import org.rowlock.spring.Contexts.InTransaction;
import org.rowlock.spring.internal.proxy.LockChains;
import org.rowlock.spring.shop.PackagePrivate;
import org.rowlock.testing.TestDatabase;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Checks that an annotation that can never work is rejected at startup. The message names the method and the remedy.
 */
@Tag("long")
class DefinitionErrorsTest {
    @RegisterExtension
    final TestDatabase database = TestDatabase.accounts(
            0,
            "create table order_line(order_id int, line int, primary key (order_id, line))",
            "create table log(message text)",
            "create view rich as select * from account");

    static class ConfiguredTable {
        @Bean
        RowLocks rowLocks() {
            return LockAccess.builder()
                    .strategy("acount", LockStrategy.ADVISORY)
                    .build();
        }
    }

    static class NoTable extends InTransaction {
        public void run(@RowLock int id) {}
    }

    static class TableAndEntity extends InTransaction {
        public void run(@RowLock(value = "account", entity = NoTable.class) int id) {}
    }

    static class NoId extends InTransaction {
        @RowLock("account")
        public void run(int id) {}
    }

    static class IdOnParameter extends InTransaction {
        public void run(@RowLock(value = "account", id = "#id") int id) {}
    }

    static class UnknownParameter extends InTransaction {
        @RowLock(table = "account", id = "#orderId")
        public void run(int id, String name) {}
    }

    static class NoHash extends InTransaction {
        @RowLock(table = "account", id = "id.intValue()")
        public void run(Integer id) {}
    }

    static class NoExpression extends InTransaction {
        @RowLock(table = "account", id = "#id +")
        public void run(int id) {}
    }

    static class BadWait extends InTransaction {
        public void run(@RowLock(value = "account", lockWait = "soon") int id) {}
    }

    static class TwoWaits extends InTransaction {
        public void run(
                @RowLock(value = "account", lockWait = "1s") int id,
                @RowLock(value = "account", lockWait = "2s") int other) {}
    }

    static class Private {
        @Transactional
        public void run(int id) {
            lock(id);
        }

        @Transactional
        private void lock(@RowLock("account") int id) {}
    }

    static class Final extends InTransaction {
        public final void run(@RowLock("account") int id) {}
    }

    static class Static {
        public static void run(@RowLock("account") int id) {}
    }

    static class Hidden extends PackagePrivate {}

    interface Named {
        void other();
    }

    static class NotOfInterface implements Named {
        @Override
        public void other() {}

        @Transactional
        public void run(@RowLock("account") int id) {}
    }

    static class BadName extends InTransaction {
        public void run(@RowLock("no.such.db.table;") int id) {}
    }

    static class UnknownTable extends InTransaction {
        public void run(@RowLock("acount") int id) {}
    }

    static class View extends InTransaction {
        public void run(@RowLock("rich") int id) {}
    }

    static class NoKey extends InTransaction {
        public void run(@RowLock("log") int id) {}
    }

    static class ThreeParts extends InTransaction {
        @RowLock(
                table = "order_line",
                id = {"#order", "#line", "#line"})
        public void run(int order, int line) {}
    }

    record LockedCommand(@RowLock("account") int account) {}

    static class RecordComponent extends InTransaction {
        public void run(LockedCommand command) {}
    }

    static class OwnConstructor extends InTransaction {
        OwnConstructor(@RowLock("account") @Autowired(required = false) @Nullable Integer id) {}

        public void run(@RowLock("account") int id) {}
    }

    static class ReturnsMono extends InTransaction {
        public Mono<Integer> run(@RowLock("account") int id) {
            return Mono.empty();
        }
    }

    static class ReturnsFlux extends InTransaction {
        public Flux<Integer> run(@RowLock("account") int id) {
            return Flux.empty();
        }
    }

    static class ReturnsFuture extends InTransaction {
        public CompletableFuture<Integer> run(@RowLock("account") int id) {
            return new CompletableFuture<>();
        }
    }

    static class ReturnsStream extends InTransaction {
        public Stream<Integer> run(@RowLock("account") int id) {
            return Stream.empty();
        }
    }

    static class ReturnsCallable {
        @RowLock(table = "account", id = "#p0")
        public Callable<Integer> run(int id) {
            return () -> id;
        }
    }

    static class ReturnsMonoWithin extends InTransaction {
        public ResponseEntity<Mono<Integer>> run(@RowLock("account") int id) {
            return ResponseEntity.ok(Mono.just(id));
        }
    }

    @EnableAsync
    static class Fine {
        @Async
        @Transactional
        public CompletableFuture<Integer> async(@RowLock("account") int id) {
            return CompletableFuture.completedFuture(id);
        }

        @Transactional(propagation = Propagation.MANDATORY)
        public Stream<Integer> stream(@RowLock("account") int id) {
            return Stream.of(id);
        }

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        public void beforeCommit(@RowLock("account") Integer id) {}

        @TransactionalEventListener
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void inItsOwn(@RowLock("account") Integer id) {}

        @Transactional
        void inItsPackage(@RowLock("account") Integer id) {}
    }

    @Test
    void whatRunsInsideOfTheLockIsNotRefused() {
        var context = Contexts.start(database, Fine.class);
        assertThat(context.getBean(LockChains.class).usages()).hasSize(5);
    }

    @Test
    void aServerThatIsDownIsSaidToBeDown() {
        PGSimpleDataSource away = database.dataSource();
        away.setPortNumbers(new int[] {1});
        assertBadDefinition(() -> Contexts.start(database, away))
                .hasMessageContainingAll(
                        "The database server cannot be reached", "spring.datasource.url", "rowlock.verify=false");
    }

    static Stream<Arguments> bad() {
        return Stream.of(
                Arguments.of(ReturnsMono.class, List.of("returns a Mono", "after the method has returned")),
                Arguments.of(ReturnsFlux.class, List.of("returns a Flux")),
                Arguments.of(ReturnsFuture.class, List.of("returns a CompletableFuture", "@Async")),
                Arguments.of(ReturnsStream.class, List.of("returns a Stream", "MANDATORY")),
                Arguments.of(ReturnsCallable.class, List.of("returns a Callable")),
                Arguments.of(ReturnsMonoWithin.class, List.of("returns a Mono")),
                Arguments.of(NoTable.class, List.of("NoTable.run(int)", "neither a table nor an entity")),
                Arguments.of(TableAndEntity.class, List.of("a table and an entity", "Give one of them")),
                Arguments.of(NoId.class, List.of("does not say which row", "#parameter")),
                Arguments.of(IdOnParameter.class, List.of("the argument is the id", "Remove the id")),
                Arguments.of(UnknownParameter.class, List.of("no parameter orderId", "there is id, name")),
                Arguments.of(NoHash.class, List.of("id has no # before it", "Write #id.")),
                Arguments.of(NoExpression.class, List.of("is not a valid expression", "SpEL")),
                Arguments.of(BadWait.class, List.of("'soon' is not a wait", "forever, nowait")),
                Arguments.of(TwoWaits.class, List.of("differ in lockWait", "1s, 2s")),
                Arguments.of(Private.class, List.of("Private.lock(int)", "private", "another bean")),
                Arguments.of(
                        Final.class,
                        List.of("final", "no proxy can intercept", "Make the method a plain method of the bean")),
                Arguments.of(
                        Static.class,
                        List.of("static", "no proxy can intercept", "Make the method a plain method of the bean")),
                Arguments.of(
                        Hidden.class,
                        List.of(
                                "PackagePrivate.run(int)",
                                "package-private in another package",
                                "no proxy can intercept")),
                Arguments.of(
                        NotOfInterface.class, List.of("only has the methods of its interfaces", "proxyTargetClass")),
                Arguments.of(BadName.class, List.of("malformed", "quotes")),
                Arguments.of(
                        UnknownTable.class,
                        List.of("names acount, which is not a table", "The tables are: account, log, order_line")),
                Arguments.of(View.class, List.of("rich: it is a view", "Name the underlying table")),
                Arguments.of(
                        NoKey.class,
                        List.of("log: it has no primary key", "rowlock.tables[log].id-columns), or", "ADVISORY")),
                Arguments.of(ThreeParts.class, List.of("3 parts", "[order_id, line]")),
                Arguments.of(
                        RecordComponent.class, List.of("@RowLock on account", "LockedCommand", "#command.account")),
                Arguments.of(OwnConstructor.class, List.of("@RowLock on id", "OwnConstructor")),
                Arguments.of(
                        ConfiguredTable.class, List.of("configuration of table acount", "The tables are: account")));
    }

    @ParameterizedTest
    @MethodSource("bad")
    void badDefinitionIsRefusedAtStartup(Class<?> component, List<String> messages) {
        Throwable failure = catchThrowable(() -> Contexts.start(database, component));
        assertThat(failure).isNotNull();
        Throwable definition = Stream.iterate(failure, java.util.Objects::nonNull, Throwable::getCause)
                .filter(RowLockDefinitionException.class::isInstance)
                .findFirst()
                .orElseThrow(() -> new AssertionError("refused for another reason", failure));
        assertThat(definition.getMessage()).contains(messages);
        assertThat(((RowLockDefinitionException) definition).action()).isNotBlank();
        assertThat(definition.getMessage()).endsWith(((RowLockDefinitionException) definition).action());
    }

    /** A bean of a library can have methods that use optional classes. */
    @Test
    void aMethodOfAnAbsentClassIsNoObstacle(@TempDir Path classes) throws Exception {
        Path missing = Files.writeString(classes.resolve("Missing.java"), "public class Missing {}");
        Path optional = Files.writeString(
                classes.resolve("Optional.java"),
                "public class Optional { public void with(java.util.List<Missing> missing) {} }");
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-proc:none", missing.toString(), optional.toString()))
                .isZero();
        Files.delete(classes.resolve("Missing.class"));
        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            Class<?> bean = loader.loadClass("Optional");
            var context = Contexts.start(database, bean);
            assertThat(context.getBean(bean)).isNotNull();
        }
    }
}
