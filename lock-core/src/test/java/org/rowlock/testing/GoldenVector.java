package org.rowlock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One line of key-version-1.tsv. Empty texts stand for the parts that a key does not have. */
public record GoldenVector(
        String kind, String oid, String id, String form, String first, String second, String number, String what) {
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-f]{4})|(\\\\))");

    public static List<GoldenVector> all() throws IOException {
        try (InputStream in = GoldenVector.class.getResourceAsStream("/org/rowlock/key-version-1.tsv")) {
            List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            assertThat(lines.get(3)).isEqualTo("kind\toid\tid\tform\tfirst\tsecond\tnumber\twhat");
            return lines.subList(4, lines.size()).stream().map(GoldenVector::of).toList();
        }
    }

    private static GoldenVector of(String line) {
        String[] columns = line.split("\t", -1);
        assertThat(columns).as(line).hasSize(8);
        String id = ESCAPE.matcher(columns[2])
                .replaceAll(escape -> escape.group(1) == null
                        ? Matcher.quoteReplacement("\\")
                        : String.valueOf((char) Integer.parseInt(escape.group(1), 16)));
        return new GoldenVector(columns[0], columns[1], id, columns[3], columns[4], columns[5], columns[6], columns[7]);
    }
}
