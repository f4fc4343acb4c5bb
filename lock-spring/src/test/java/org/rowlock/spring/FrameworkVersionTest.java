package org.rowlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.core.SpringVersion;

/** Two modules run these tests. Checks that each module runs the tests on its intended version of the framework. */
class FrameworkVersionTest {
    @Test
    void runsOnTheFrameworkOfItsModule() {
        assertThat(SpringVersion.getVersion())
                .startsWith(System.getProperty("rowlock.test.spring.framework", "6.2") + ".");
    }
}
