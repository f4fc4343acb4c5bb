package org.rowlock.jmh.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.openjdk.jmh.util.Version;
import org.postgresql.util.DriverInfo;
import picocli.CommandLine.IVersionProvider;

/** Which program this is. */
final class Versions implements IVersionProvider {
    private static final String OURS = "/META-INF/maven/org.rowlock/lock-jmh/pom.properties";

    @Override
    public String[] getVersion() throws IOException {
        return new String[] {
            "Rowlock benchmarks " + own(),
            "JMH " + Version.getPlainVersion(),
            DriverInfo.DRIVER_FULL_NAME,
            "Java " + System.getProperty("java.runtime.version")
        };
    }

    private static String own() throws IOException {
        try (InputStream in = Versions.class.getResourceAsStream(OURS)) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("version", "(built here)");
        }
    }
}
