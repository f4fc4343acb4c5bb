package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SelfInvocationsTest {
    static class Service {
        public void ship(@RowLock("orders") long id) {}

        public void shipAll(List<Long> ids) {
            ids.forEach(this::ship);
            ship(1);
        }

        public void other(Other other) {
            other.ship(1);
        }
    }

    static class Other {
        public void ship(long id) {}
    }

    @Test
    void callsOfTheOwnClassAreFound() throws Exception {
        List<java.lang.reflect.Method> methods = List.of(Service.class.getMethod("ship", long.class));
        assertThat(SelfInvocations.find(methods, Service.class))
                .hasSize(1)
                .first()
                .asString()
                .contains("Service.shipAll calls ship");
        assertThat(SelfInvocations.find(methods, Other.class)).isEmpty();
    }
}
