package org.rowlock.jmh.report;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** The library that draws, from its webjar, whatever version of it there is. */
final class ChartJs {
    private static final String DIRECTORY = "META-INF/resources/webjars/chart.js/";
    private static final String FILE = "/dist/chart.umd.min.js";

    private ChartJs() {}

    /** Its code, to stand inside a script element. */
    static String source() throws IOException {
        URL url = ChartJs.class.getClassLoader().getResource(DIRECTORY);
        if (url == null || !(url.openConnection() instanceof JarURLConnection connection)) {
            throw new IOException("Chart.js is not on the classpath: there is no jar with " + DIRECTORY);
        }
        // A jar of our own to close, and not the class loader's.
        connection.setUseCaches(false);
        try (JarFile jar = connection.getJarFile()) {
            JarEntry entry = jar.stream()
                    .filter(file -> file.getName().startsWith(DIRECTORY)
                            && file.getName().endsWith(FILE))
                    .findFirst()
                    .orElseThrow(() -> new IOException("Chart.js is not in " + jar.getName()));
            try (InputStream in = jar.getInputStream(entry)) {
                return forPage(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
    }

    /** Without the comment that makes developer tools ask for another file. */
    private static String forPage(String source) {
        return source.replaceAll("(?m)^//# sourceMappingURL=.*$", "").replace("</script", "<\\/script");
    }
}
