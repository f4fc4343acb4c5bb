package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rowlock.internal.text.Docs;

/**
 * Java in the documentation is a region of a program that a test runs, and links lead somewhere.
 *
 * <p>A block is preceded by {@code <!-- snippet: path#name -->}; the region stands between {@code // snippet: name} and
 * {@code // end}. Blocks of other languages may have a marker too, with {@code --} or {@code #} for the comment.
 * Without {@code #name} it is the whole file.
 */
class DocumentationTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent();

    private static final Pattern BLOCK = Pattern.compile(
            "(?:^<!-- snippet: ([^#\\s]+)(?:#(\\S+))? -->\n\n?)?^```(\\w+)\n(.*?)^```$",
            Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern MARKER = Pattern.compile("^<!-- snippet: ", Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("^```.*?^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern NAMED_PAGE =
            Pattern.compile("(\\S*\\bdocs/|Docs\\.URL\\s*\\+\\s*\")([a-z-]+\\.md)(?:#([a-z0-9-]+))?");
    private static final Pattern RELATIVE =
            Pattern.compile("^(?! *(?:\\*|//|/\\*\\*)).*?(?<!/main/)\\bdocs/[a-z-]+\\.md", Pattern.MULTILINE);
    private static final Pattern PROJECT_URL = Pattern.compile("<url>([^<]+)</url>");
    private static final Pattern RULE = Pattern.compile("^([a-z-]+)\\.why=", Pattern.MULTILINE);
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern RETIRED =
            Pattern.compile("^ *retire (\\S+) \\$?'([^']+?)(?:\\\\n)?' '", Pattern.MULTILINE);
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);
    private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\"></a>");

    static List<Path> documents() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            Stream<Path> others = Stream.of(
                            "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md", "lock-jmh/RESULTS.md")
                    .map(ROOT::resolve);
            return Stream.concat(others, docs)
                    .filter(path -> path.toString().endsWith(".md") && Files.exists(path))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("documents")
    void everyJavaBlockIsARegionOfTestedCode(Path document) throws IOException {
        String text = Files.readString(document);
        List<MatchResult> blocks = BLOCK.matcher(text)
                .results()
                .filter(block -> block.group(3).equals("java") || block.group(1) != null)
                .toList();
        for (MatchResult block : blocks) {
            assertThat(block.group(1))
                    .as("a marker <!-- snippet: path#name --> above the block %s", block.group(4))
                    .isNotNull();
            assertThat(block.group(4))
                    .as("%s#%s", block.group(1), block.group(2))
                    .isEqualTo(region(ROOT.resolve(block.group(1)), block.group(2)));
        }
        assertThat(MARKER.matcher(text).results()).as("markers").hasSize(blocks.size());
    }

    @ParameterizedTest
    @MethodSource("documents")
    void everyRelativeLinkLeadsSomewhere(Path document) throws IOException {
        String text = CODE.matcher(Files.readString(document)).replaceAll("");
        Matcher links = LINK.matcher(text);
        while (links.find()) {
            String link = links.group(1);
            if (link.startsWith("http://") || link.startsWith("https://")) {
                continue;
            }
            String[] parts = link.split("#", 2);
            Path target = parts[0].isEmpty()
                    ? document
                    : document.resolveSibling(parts[0]).normalize();
            assertThat(target).as("target of %s", link).exists();
            if (parts.length == 2) {
                assertThat(anchors(target)).as("headings of %s", target).contains(parts[1]);
            }
        }
    }

    /** The script of the first release removes these texts, and fails without them. */
    @Test
    void everyTextThatTheReleaseRemovesIsThere() throws IOException {
        String script = Files.readString(ROOT.resolve(".ci/release"));
        List<MatchResult> texts = RETIRED.matcher(script).results().toList();
        assertThat(texts).hasSize(script.split("\n *retire ", -1).length - 1);
        boolean released = !Files.readString(ROOT.resolve("README.md")).contains("not on Maven Central yet");
        for (MatchResult text : released ? List.<MatchResult>of() : texts) {
            assertThat(ROOT.resolve(text.group(1))).content().contains(text.group(2));
        }
    }

    /** Messages, Javadoc and SQL that users see: they have a jar and no docs, so links are absolute. */
    @Test
    void everyPageThatTheCodeNamesIsThere() throws IOException {
        String base = projectUrl() + "/blob/main/docs/";
        assertThat(Docs.URL).isEqualTo(base);
        int links = 0;
        for (Path source : mainSources()) {
            String text = Files.readString(source);
            Matcher named = NAMED_PAGE.matcher(text);
            while (named.find()) {
                Path page = ROOT.resolve("docs").resolve(named.group(2));
                assertThat(page).as("page that %s names", source).exists();
                if (named.group(1).contains("://")) {
                    assertThat(named.group(1)).as("link in %s", source).endsWith(base);
                }
                if (named.group(3) != null) {
                    assertThat(anchors(page)).as("anchor that %s names", source).contains(named.group(3));
                }
                links++;
            }
            assertThat(RELATIVE.matcher(text).results().map(MatchResult::group))
                    .as("names of pages in %s, outside comments and not as a link", source)
                    .isEmpty();
        }
        assertThat(links).isPositive();
    }

    /** The screen of doctor links each advice to the page by the name of its rule. */
    @Test
    void everyAdviceOfDoctorHasAnAnchor() throws IOException {
        String reasons = Files.readString(
                ROOT.resolve("lock-jmh/doctor/src/main/resources/org/rowlock/doctor/words.properties"));
        List<String> rules =
                RULE.matcher(reasons).results().map(rule -> rule.group(1)).toList();
        assertThat(rules).isNotEmpty();
        assertThat(anchors(ROOT.resolve("docs/measure.md"))).containsAll(rules);
    }

    @Test
    void theSiteHasEveryPage() throws IOException {
        String site = Files.readString(ROOT.resolve("mkdocs.yml"));
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            assertThat(docs.map(page -> page.getFileName().toString()).filter(name -> name.endsWith(".md")))
                    .allSatisfy(name -> assertThat(site).contains(": " + name + "\n"));
        }
    }

    private static String projectUrl() throws IOException {
        Matcher url = PROJECT_URL.matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(url.find()).isTrue();
        return url.group(1);
    }

    static List<Path> mainSources() throws IOException {
        List<Path> found = new ArrayList<>();
        // Other modules may be building in their target directories.
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return Set.of("target", ".git").contains(directory.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().contains("/src/main/")
                        && file.toString().matches(".*\\.(?:java|sql|yaml|json|properties)")) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(found).isNotEmpty();
        return found;
    }

    /** The lines of a region, moved to the left margin; the whole file if there is no name. */
    private static String region(Path file, String name) throws IOException {
        if (name == null) {
            return Files.readString(file);
        }
        List<String> lines = Files.readAllLines(file);
        int start = indexOf(lines, "snippet: " + name, 0, file);
        int end = indexOf(lines, "end", start, file);
        return lines.subList(start + 1, end).stream()
                        .collect(Collectors.joining("\n"))
                        .stripIndent() + "\n";
    }

    private static int indexOf(List<String> lines, String comment, int from, Path file) {
        for (int i = from; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.equals("// " + comment) || line.equals("-- " + comment) || line.equals("# " + comment)) {
                return i;
            }
        }
        throw new AssertionError(file + " has no line: // " + comment);
    }

    /** The names that headings have as link targets, and those that are set. */
    private static List<String> anchors(Path document) throws IOException {
        String text = CODE.matcher(Files.readString(document)).replaceAll("");
        return Stream.concat(
                        HEADING.matcher(text).results().map(heading -> anchor(heading.group(1))),
                        ANCHOR.matcher(text).results().map(anchor -> anchor.group(1)))
                .toList();
    }

    /** The link target of a heading, as GitHub makes it. */
    static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }
}
