package org.rowlock.jmh.report;

import com.google.gson.GsonBuilder;
import com.samskivert.mustache.Mustache;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.run.RunResults;

/** The page: one file with all that it needs inside, so that it opens offline and asks nobody for anything. */
final class HtmlPage {
    private HtmlPage() {}

    static String of(RunResults results, @Nullable ServerLook look) throws IOException {
        Charts charts = new Charts(new VariantMarks(results), new WaitEvents(results));
        Page page = Page.of(results, charts);
        // Gson writes < and > of a string as escapes, so no string can end the script element.
        String data = new GsonBuilder().create().toJson(charts.specs());
        try (Reader template = open("report.mustache")) {
            return Mustache.compiler()
                    .escapeHTML(true)
                    .emptyStringIsFalse(true)
                    .zeroIsFalse(true)
                    .withLoader(name -> open(name + ".mustache"))
                    .compile(template)
                    .execute(new Filled(page, look, text("report.css"), ChartJs.source(), data, text("report.js")));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** The page, and what is put into it as it is. */
    record Filled(Page page, @Nullable ServerLook look, String css, String chartJs, String data, String script) {}

    private static String text(String resource) throws IOException {
        try (InputStream in = stream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Reader open(String resource) throws IOException {
        return new InputStreamReader(stream(resource), StandardCharsets.UTF_8);
    }

    private static InputStream stream(String resource) throws IOException {
        InputStream in = HtmlPage.class.getResourceAsStream(resource);
        if (in == null) {
            throw new FileNotFoundException("The jar lacks " + resource + " of the report");
        }
        return in;
    }
}
