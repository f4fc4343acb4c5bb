package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The menu in the root, as far as nothing is built by it; .ci/readme runs what it starts. */
@DisabledOnOs(OS.WINDOWS)
class MenuTest {
    private static final Pattern COMMAND = Pattern.compile("\\./rowlock ([a-z-]+)");
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent();

    private String output = "";

    private int run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(ROOT.resolve("rowlock").toString()));
        command.addAll(List.of(arguments));
        Process menu = new ProcessBuilder(command).redirectErrorStream(true).start();
        output = new String(menu.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return menu.waitFor();
    }

    @Test
    void saysWhatThereIs() throws Exception {
        assertThat(run()).isZero();

        assertThat(output.lines()).hasSizeLessThan(12);
        assertThat(output).contains("demo", "example", "shop-load", "shop-rolling", "doctor URL", "bench", "test");
    }

    @Test
    void refusesWhatThereIsNot() throws Exception {
        assertThat(run("demos")).isEqualTo(2);

        assertThat(output).startsWith("There is no command demos.").contains("doctor URL");
    }

    @Test
    void everyCommandOfThePagesIsThere() throws Exception {
        List<Path> pages = new ArrayList<>(ProseTest.pages());
        pages.add(ROOT.resolve("examples/README.md"));
        pages.add(ROOT.resolve("CONTRIBUTING.md"));
        TreeSet<String> commands = new TreeSet<>();
        for (Path page : pages) {
            commands.addAll(COMMAND.matcher(Files.readString(page))
                    .results()
                    .map(named -> named.group(1))
                    .toList());
        }
        assertThat(commands).contains("demo", "doctor");
        for (String menu : List.of("rowlock", "rowlock.cmd")) {
            assertThat(commandsOf(ROOT.resolve(menu))).as(menu).containsAll(commands);
        }
    }

    private static List<String> commandsOf(Path menu) throws IOException {
        return Pattern.compile("^  ([a-z-]+)\\)|\"%~1\"==\"([a-z-]+)\"", Pattern.MULTILINE)
                .matcher(Files.readString(menu))
                .results()
                .map((MatchResult found) -> found.group(1) == null ? found.group(2) : found.group(1))
                .toList();
    }
}
