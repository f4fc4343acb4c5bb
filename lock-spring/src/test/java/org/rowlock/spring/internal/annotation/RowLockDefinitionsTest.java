package org.rowlock.spring.internal.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rowlock.spring.RowLockTests.assertBadDefinition;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.LockKey;
import org.rowlock.RowLockMode;
import org.rowlock.internal.value.LockWait;
import org.rowlock.internal.value.RequestParts;
import org.rowlock.spring.RowLock;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.annotation.AliasFor;

/** Checks where annotations are found, and which keys result. The test needs no database. */
class RowLockDefinitionsTest {
    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final RowLockDefinitions definitions = new RowLockDefinitions(beans);

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.METHOD, ElementType.PARAMETER})
    @RowLock("orders")
    @interface LockOrder {
        @AliasFor(annotation = RowLock.class, attribute = "mode")
        RowLockMode how() default RowLockMode.FOR_UPDATE;

        @AliasFor(annotation = RowLock.class, attribute = "id")
        String[] id() default {};
    }

    record OrderId(UUID value) {}

    record Command(long orderId, List<Long> others) {}

    interface Api {
        void ofInterface(@RowLock("orders") long id);

        @RowLock(table = "orders", id = "#id")
        void onInterfaceMethod(long id);
    }

    static class Service implements Api {
        void plain(long id) {}

        void parameter(@RowLock("Orders") long id) {}

        void several(
                @RowLock("orders") List<String> ids,
                @RowLock(value = "stock", mode = RowLockMode.FOR_SHARE) long[] items) {}

        void meta(@LockOrder(how = RowLockMode.FOR_KEY_SHARE) long id) {}

        @LockOrder(id = "#command.orderId")
        @RowLock(table = "orders", id = "#command.others", lockWait = "200ms")
        void expressions(Command command) {}

        void typed(@RowLock("orders") OrderId id) {}

        @RowLock(
                table = "order_line",
                id = {"#order", "#line"},
                lockWait = "nowait")
        void expressionParts(long order, int line) {}

        @Override
        public void ofInterface(long id) {}

        @Override
        public void onInterfaceMethod(long id) {}
    }

    private @Nullable MethodLocks find(String name) {
        return find(Service.class, name);
    }

    private @Nullable MethodLocks find(Class<?> type, String name) {
        Method method = Stream.concat(Stream.of(type.getDeclaredMethods()), Stream.of(type.getMethods()))
                .filter(candidate -> candidate.getName().equals(name))
                .findFirst()
                .orElseThrow();
        return definitions.of(method, type);
    }

    private List<LockKey> keys(String name, Object... arguments) {
        return keys(Service.class, name, arguments);
    }

    private List<LockKey> keys(Class<?> type, String name, Object... arguments) {
        return find(type, name).of(arguments).request().keys();
    }

    @Test
    void parameterIsTheId() {
        assertThat(find("plain")).isNull();
        assertThat(keys("parameter", 42L)).containsExactly(LockKey.row("orders", 42));
        assertThat(keys("typed", new OrderId(new UUID(0, 1)))).containsExactly(LockKey.row("orders", new UUID(0, 1)));
    }

    @Test
    void collectionsAndArraysAreRowsEach() {
        RequestParts request = find("several")
                .of(new Object[] {List.of("7", "8"), new long[] {1}})
                .request();
        assertThat(request.keys())
                .containsExactly(LockKey.row("orders", 7), LockKey.row("orders", 8), LockKey.row("stock", 1));
        assertThat(request.keys())
                .extracting(request::modeOf)
                .containsExactly(RowLockMode.FOR_NO_KEY_UPDATE, RowLockMode.FOR_NO_KEY_UPDATE, RowLockMode.FOR_SHARE);
    }

    @Test
    void metaAnnotationsWork() {
        assertThat(find("meta").of(new Object[] {1L}).request().mode()).isEqualTo(RowLockMode.FOR_KEY_SHARE);
        assertThat(keys("expressions", new Command(1, List.of(2L, 3L))))
                .containsExactlyInAnyOrderElementsOf(LockKey.rows("orders", List.of(1, 2, 3)));
        assertThat(find("expressions").lockWait()).isEqualTo(LockWait.atMost(java.time.Duration.ofMillis(200)));
    }

    @Test
    void compositeIdsAreExpressions() {
        LockKey key = LockKey.row("order_line", 5, 6);
        assertThat(keys("expressionParts", 5L, 6)).containsExactly(key);
        assertThat(find("expressionParts").lockWait()).isEqualTo(LockWait.NO_WAIT);
    }

    @Test
    void interfacesCount() {
        assertThat(keys("ofInterface", 1L)).containsExactly(LockKey.row("orders", 1));
        assertThat(keys("onInterfaceMethod", 1L)).containsExactly(LockKey.row("orders", 1));
    }

    @Test
    void badIdAtRuntimeNamesTheMethodAndTheParameter() {
        assertThatThrownBy(() -> keys("typed", (Object) null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("Service.typed(OrderId)", "parameter id", "orders");
    }

    static class Expressions {
        @RowLock(table = "orders", id = "#root.id")
        public void root(long id) {}

        @RowLock(table = "orders", id = "#this")
        public void self(long id) {}

        @RowLock(table = "orders", id = "#id + other")
        public void second(long id) {}

        @RowLock(table = "orders", id = "getId()")
        public void method(long id) {}

        @RowLock(table = "orders", id = "#upper(#id)")
        public void function(long id) {}

        @RowLock(table = "orders", id = "{id, #id}")
        public void inList(long id) {}

        @RowLock(table = "orders", id = "#p99999999999")
        public void position(long id) {}

        @RowLock(table = "orders", id = "#ids.![#this + longValue()]")
        public void projection(List<Long> ids) {}

        @RowLock(table = "orders", id = "{#ids[id], {id: #ids['id']}[id]}")
        public void keys(Map<String, Long> ids) {}

        @RowLock(table = "orders", id = "#ids.?[#this > #least]")
        public void selection(List<Long> ids, long least) {}
    }

    @ParameterizedTest
    @ValueSource(strings = {"root", "self", "position", "second", "inList"})
    void anUnknownParameterIsRefused(String name) {
        assertBadDefinition(() -> find(Expressions.class, name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"method", "function"})
    void anExpressionThatCannotWorkNamesTheMethodAtTheCall(String name) {
        assertThatThrownBy(() -> keys(Expressions.class, name, 1L))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("@RowLock on Expressions." + name, "EL10");
    }

    @Test
    void elementsMayBeSelectedAndProjected() {
        assertThat(keys(Expressions.class, "projection", List.of(2L))).containsExactly(LockKey.row("orders", 4));
        assertThat(keys(Expressions.class, "selection", List.of(2L, 3L), 2L)).containsExactly(LockKey.row("orders", 3));
        assertThat(keys(Expressions.class, "keys", Map.of("id", 4L))).containsExactly(LockKey.row("orders", 4));
    }

    static class Bytes {
        public void run(@RowLock("orders") byte[] id) {}
    }

    @Test
    void bytesAreNotIdsEach() {
        assertThatThrownBy(() -> find(Bytes.class, "run")
                        .of(new Object[] {new byte[] {1, 2}})
                        .keys())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be a lock key");
    }
}
