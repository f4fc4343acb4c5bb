package org.rowlock.spring.boot;

import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** How many threads may wait for one key: so many that the web server has others left. */
final class WebThreads {
    private static final int ELSEWHERE = 1_000;
    private static final int USUAL = 200;

    private WebThreads() {}

    /** Half of the threads of the web server; where none bounds them, a number that heap and patience bear. */
    static int share(Environment environment) {
        boolean virtual = environment.getProperty("spring.threads.virtual.enabled", boolean.class, false);
        if (virtual || "none".equalsIgnoreCase(environment.getProperty("spring.main.web-application-type"))) {
            return ELSEWHERE;
        }
        if (ClassUtils.isPresent("org.apache.catalina.startup.Tomcat", null)) {
            return half(environment, "server.tomcat.threads.max");
        }
        if (ClassUtils.isPresent("org.eclipse.jetty.server.Server", null)) {
            return half(environment, "server.jetty.threads.max");
        }
        return ELSEWHERE;
    }

    private static int half(Environment environment, String property) {
        return Math.max(1, environment.getProperty(property, int.class, USUAL) / 2);
    }
}
