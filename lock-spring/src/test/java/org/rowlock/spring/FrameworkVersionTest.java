package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.core.SpringVersion;

/** Each of the two modules that run these tests does so on the version it is there for. */
class FrameworkVersionTest {
    @Test
    void runsOnTheFrameworkOfItsModule() {
        assertThat(SpringVersion.getVersion())
                .startsWith(System.getProperty("rowlock.test.spring.framework", "6.2") + ".");
    }
}
