package org.rowlock.jmh.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.run.RunResults;

/** Writes what a comparison found out to a directory. Stateless and thread-safe. */
public final class Report {
    private static final String HTML = "report.html";
    private static final String JSON = "results.json";

    /**
     * The files.
     *
     * @param html the report, which needs no other file and no network
     * @param json JMH's own format, for other tools
     */
    public record Written(Path html, Path json) {}

    private Report() {}

    /**
     * Writes {@code report.html} and {@code results.json}, over files of these names if there are any. The directory is
     * made if there is none.
     *
     * @param look at the server before the run; null where it was none of the user's
     * @throws IOException if a file cannot be written
     */
    public static Written write(RunResults results, @Nullable ServerLook look, Path directory) throws IOException {
        Files.createDirectories(directory);
        Path json = directory.resolve(JSON);
        // First, since it is the one that another report could be made from.
        Files.writeString(json, JmhJson.of(results));
        Path html = directory.resolve(HTML);
        Files.writeString(html, HtmlPage.of(results, look));
        return new Written(html, json);
    }
}
