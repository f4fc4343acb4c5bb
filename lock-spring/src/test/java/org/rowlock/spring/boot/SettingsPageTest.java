package org.rowlock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/**
 * Checks that the table of docs/settings.md equals the metadata that IDEs show. Each row has a property, its default
 * and its description.
 */
class SettingsPageTest {
    @Test
    void theTableOfSettingsIsTheMetadataOfTheProperties() throws Exception {
        Path page = page();
        List<String> rows = Files.readAllLines(page).stream()
                .filter(line -> line.startsWith("| `rowlock.") && line.split("\\|").length == 4)
                .toList();

        assertThat(rows).as("rows of %s", page).containsExactlyElementsOf(metadata());
    }

    private static Path page() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs/settings.md"))) {
            folder = folder.getParent();
        }
        return folder.resolve("docs/settings.md");
    }

    private static List<String> metadata() throws IOException {
        for (URL each : Collections.list(
                SettingsPageTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = each.openStream()) {
                String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                if (json.contains("\"rowlock.strategy\"")) {
                    return rows(JsonParserFactory.getJsonParser().parseMap(json));
                }
            }
        }
        throw new AssertionError("there is no metadata of rowlock.*");
    }

    private static List<String> rows(Map<String, Object> metadata) {
        return ((List<?>) metadata.get("properties"))
                .stream()
                        .map(property -> (Map<?, ?>) property)
                        .filter(property -> property.get("name").toString().startsWith("rowlock."))
                        .sorted(Comparator.comparing(
                                property -> property.get("name").toString()))
                        .map(property -> "| `" + property.get("name") + "` | "
                                + (property.get("defaultValue") == null
                                        ? ""
                                        : "`" + property.get("defaultValue") + "` ")
                                + "| " + property.get("description").toString().replaceAll("\\s+", " ") + " |")
                        .toList();
    }
}
