package org.rowlock.jmh.report;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.rowlock.jmh.run.Results;
import org.rowlock.tool.Texts;

/** Writes the results as JSON, and as a self-contained page that opens offline. */
public final class Report {
    public static final String PAGE = "report.html";

    private static final String JSON = "results.json";
    private static final Pattern PLACE = Pattern.compile("@(css|chart|data|plain|script)@");

    private Report() {}

    /** Writes both files into an existing directory, and returns the path of the page. */
    public static Path write(Results results, Path directory) throws IOException {
        // Gson escapes < and > in strings, so no string can end the script element around it.
        Gson gson = new GsonBuilder().setPrettyPrinting().create();
        String json = gson.toJson(results);
        Files.writeString(directory.resolve(JSON), json);
        Map<String, String> parts = Map.of(
                "css", text("report.css"),
                "chart", chart(),
                "data", json,
                "plain", plain(results),
                "script", text("report.js"));
        String page = PLACE.matcher(text(PAGE))
                .replaceAll(place -> Matcher.quoteReplacement(String.valueOf(parts.get(place.group(1)))));
        return Files.writeString(directory.resolve(PAGE), page);
    }

    /**
     * Formats the results for browsers without JavaScript: tables as in the terminal, and other lines as paragraphs.
     */
    private static String plain(Results results) {
        String failures = results.failures().stream()
                .map(failure -> "Failed: " + Texts.printable(failure.replace('\n', ' ')) + "\n")
                .collect(Collectors.joining());
        return Texts.escaped(failures + Summary.of(results))
                .replaceAll("(?m)^(?! {2}(?!Note: )).+$", "<p>$0</p>")
                .replaceAll("(?m)(?:^ {2}.*(?:\\R|\\z))+", "<pre>$0</pre>");
    }

    private static String text(String resource) {
        return Texts.resource(Report.class, resource);
    }

    /** Reads the chart library from its webjar, whatever its version. */
    private static String chart() throws IOException {
        Properties webjar = new Properties();
        webjar.load(new StringReader(text("/META-INF/maven/org.webjars.npm/chart.js/pom.properties")));
        String source = text(
                "/META-INF/resources/webjars/chart.js/" + webjar.getProperty("version") + "/dist/chart.umd.min.js");
        // The comment would make developer tools request another file.
        return source.replaceAll("(?m)^//# sourceMappingURL=.*$", "").replace("</script", "<\\/script");
    }
}
