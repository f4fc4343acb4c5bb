package org.rowlock.jmh.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * What scenarios.md says of a scenario: a heading with its name, then its title, its question, and where others
 * published the same; each a paragraph.
 */
record Wording(String title, String question, String published) {
    private static final Map<String, Wording> ALL = read();

    static Wording of(String name) {
        Wording wording = ALL.get(name);
        if (wording == null) {
            throw new IllegalStateException("scenarios.md has no " + name);
        }
        return wording;
    }

    private static Map<String, Wording> read() {
        Map<String, Wording> all = new HashMap<>();
        try (InputStream in = Wording.class.getResourceAsStream("scenarios.md")) {
            String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            Arrays.stream(text.split("(?m)^## ", -1)).skip(1).forEach(section -> {
                String[] paragraphs = section.strip().split("\n\n", -1);
                all.put(
                        paragraphs[0],
                        new Wording(
                                line(paragraphs[1]),
                                line(paragraphs[2]),
                                paragraphs.length > 3 ? line(paragraphs[3]).replaceFirst("^Published: ", "") : ""));
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    private static String line(String paragraph) {
        return paragraph.replace('\n', ' ');
    }
}
