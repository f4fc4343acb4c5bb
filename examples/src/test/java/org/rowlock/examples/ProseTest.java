package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.examples.Grammar.Part;
import org.rowlock.examples.Grammar.Prose;

/** The README, docs and comments are short and read once. Hazards have numbers, and each figure stands once. */
class ProseTest {
    private static final int WORDS_OF_A_PAGE = 1_200;

    /** README is held shorter than a page. */
    private static final Map<String, Integer> WORDS_OF_PAGES = Map.of("README.md", 750);

    /** How many faults are left in comments that have not been rewritten. A number may only fall; 0 everywhere else. */
    private static final Map<String, Integer> FAULTS = Map.of();

    private static final int WORDS_OF_AN_ANSWER = 300;
    private static final int WIDTH = 120;

    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent();
    private static final Path HAZARDS = ROOT.resolve("docs/hazards.md");

    private static final Pattern CODE = Pattern.compile("^ *```.*?^ *```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern SHELL = Pattern.compile("^```shell\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern COMMENT = Pattern.compile("^<!--.*-->$", Pattern.MULTILINE);
    private static final Pattern TABLE = Pattern.compile("^\\|.*$", Pattern.MULTILINE);
    private static final Pattern TARGET = Pattern.compile("\\]\\([^)]*\\)");
    private static final Pattern PARAGRAPH = Pattern.compile("\n\n+|\n(?= *(?:[-#*]|\\d+\\.) )");
    private static final Pattern ITEM = Pattern.compile("^ *(?:[-*]|\\d+\\.) +|[*\\[\\]]");

    private static final Pattern HAZARD = Pattern.compile(
            "^\\|<a id=\"h(\\d+)\"></a>H(\\d+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+)\\|$", Pattern.MULTILINE);
    private static final Pattern HAZARD_LINK = Pattern.compile("\\[([^\\]]+)\\]\\((?:docs/)?hazards\\.md#h(\\d+)\\)");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)(?:#([^)]+))?\\)");
    private static final Pattern INTERVAL = Pattern.compile("\\((\\d+\\.\\d+)–(\\d+\\.\\d+)\\)( [~=])?");
    private static final Pattern FIGURE = Pattern.compile("<title>[^:]+: ([^<]+)</title>");
    private static final Pattern IMAGE = Pattern.compile("(?:src|srcset)=\"([^\"]+)\"");
    private static final Pattern RATIO = Pattern.compile("\\b\\d+\\.\\d+(?=x| times\\b)");

    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of(ROOT.resolve("README.md")),
                            docs.filter(path -> path.toString().endsWith(".md")).sorted())
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyPageIsShort(Path page) throws IOException {
        assertThat(words(CODE.matcher(Files.readString(page)).replaceAll("")))
                .as("words of %s without code", page)
                .isLessThanOrEqualTo(
                        WORDS_OF_PAGES.getOrDefault(page.getFileName().toString(), WORDS_OF_A_PAGE));
    }

    @Test
    void pagesAreReadOnce() throws IOException {
        List<String> faults = new ArrayList<>();
        for (Path page : pages()) {
            for (String paragraph : PARAGRAPH.split(TARGET.matcher(prose(page)).replaceAll("]"))) {
                Part part = paragraph.startsWith("#") ? Part.TAG : Part.PARAGRAPH;
                Grammar.faults(new Prose(part, ITEM.matcher(paragraph).replaceAll("")))
                        .forEach(fault -> faults.add(page.getFileName() + ": " + fault));
            }
        }
        assertThat(faults).isEmpty();
    }

    @Test
    void commentsAreReadOnce() throws IOException {
        Map<String, List<String>> faults = new TreeMap<>();
        for (Path source : DocumentationTest.mainSources()) {
            if (source.toString().endsWith(".java")) {
                String name = ROOT.relativize(source).toString();
                String module = FAULTS.keySet().stream()
                        .filter(name::matches)
                        .findFirst()
                        .orElse("");
                Grammar.comments(Files.readString(source)).stream()
                        .flatMap(comment -> Grammar.faults(comment).stream())
                        .forEach(fault -> faults.computeIfAbsent(module, key -> new ArrayList<>())
                                .add(source.getFileName() + ": " + fault));
            }
        }
        assertSoftly(softly -> faults.forEach((module, all) -> softly.assertThat(all)
                .as("faults in %s", module)
                .hasSizeLessThanOrEqualTo(FAULTS.getOrDefault(module, 0))));
    }

    @Test
    void linesFit() throws IOException {
        List<String> wide = new ArrayList<>();
        for (Path source : DocumentationTest.mainSources()) {
            for (String line : Files.readAllLines(source)) {
                if (line.length() > WIDTH && source.toString().endsWith(".java")) {
                    wide.add(source.getFileName() + ": " + line.strip());
                }
            }
        }
        assertThat(wide).isEmpty();
    }

    @Test
    void everyHazardHasANumberOfItsOwnAnEffectAndARemedy() throws IOException {
        String text = Files.readString(HAZARDS);
        List<MatchResult> hazards = HAZARD.matcher(text).results().toList();
        List<Integer> numbers = new ArrayList<>();
        for (MatchResult hazard : hazards) {
            assertThat(hazard.group(1)).isEqualTo(hazard.group(2));
            numbers.add(Integer.valueOf(hazard.group(1)));
        }
        assertThat(numbers).isNotEmpty().isEqualTo(List.copyOf(new TreeSet<>(numbers)));
        assertThat(text.lines().filter(line -> line.contains("<a id=\"h"))).hasSameSizeAs(hazards);
    }

    @Test
    void everyHazardIsLinkedByItsNumber() throws IOException {
        TreeSet<Integer> linked = new TreeSet<>();
        for (Path page : pages()) {
            String text = Files.readString(page);
            for (MatchResult link : HAZARD_LINK.matcher(text).results().toList()) {
                if (link.group(1).matches("H\\d+")) {
                    assertThat(link.group(1)).as(link.group()).isEqualTo("H" + link.group(2));
                }
                linked.add(Integer.valueOf(link.group(2)));
            }
        }
        List<Integer> hazards = HAZARD.matcher(Files.readString(HAZARDS))
                .results()
                .map(hazard -> Integer.valueOf(hazard.group(1)))
                .toList();
        assertThat(linked).containsExactlyElementsOf(hazards);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyRatioStandsInTheResults(Path page) throws IOException {
        String results = Files.readString(ROOT.resolve("docs/results.md"));
        assertThat(RATIO.matcher(prose(page)).results().map(MatchResult::group))
                .allSatisfy(ratio -> assertThat(results).containsPattern("\\b" + ratio + "(?:x| times)"));
    }

    /** From the README to an answer, and from there to the section that has more: two links and 300 words. */
    @Test
    void everyQuestionIsAnsweredInTwoHops() throws IOException {
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("](docs/faq.md)");
        Path faq = ROOT.resolve("docs/faq.md");
        String[] questions = Files.readString(faq).strip().split("\n\n");
        assertThat(questions).hasSizeGreaterThan(12);
        for (String question : List.of(questions).subList(1, questions.length)) {
            assertThat(question).matches(Pattern.compile("\\*\\*[^*]+[?]\\*\\* .+", Pattern.DOTALL));
            List<MatchResult> links = LINK.matcher(question).results().toList();
            assertThat(links).as(question).isNotEmpty();
            for (MatchResult link : links) {
                int words = words(question) + words(section(faq.resolveSibling(link.group(1)), link.group(2)));
                assertThat(words).as("%s and %s", question, link.group()).isLessThanOrEqualTo(WORDS_OF_AN_ANSWER);
            }
        }
    }

    /** The marks follow the rule of Call in lock-jmh, for a baseline whose ratio to itself may be 1. */
    @ParameterizedTest
    @ValueSource(strings = {"results", "early-release"})
    void ratiosWithoutAGainAreMarked(String page) throws IOException {
        int compared = 0;
        for (String paragraph :
                Files.readString(ROOT.resolve("docs/" + page + ".md")).split("\n\n")) {
            String[] baseline = {};
            for (String row : paragraph.lines().filter(TABLE.asPredicate()).toList()) {
                String[] cells = row.split("\\|");
                if (cells[1].contains("against itself")) {
                    baseline = cells;
                }
                for (int i = 2; i < cells.length; i++) {
                    Matcher ratio = INTERVAL.matcher(cells[i]);
                    Matcher itself = INTERVAL.matcher(
                            cells[2].startsWith(" 1 (") ? cells[2] : i < baseline.length ? baseline[i] : "");
                    if (cells[i].contains("x (") && cells != baseline && ratio.find()) {
                        assertThat(itself.find() && number(itself, 1) <= 1 && number(itself, 2) >= 1)
                                .as("the baseline against itself for %s", row)
                                .isTrue();
                        boolean differs = number(ratio, 1) >= 1.03 || number(ratio, 2) <= 1 / 1.03;
                        boolean isClose = number(ratio, 1) >= 1 / 1.1 && number(ratio, 2) <= 1.1;
                        assertThat(ratio.group(3))
                                .as("%s in %s", cells[i], row)
                                .isEqualTo(differs ? null : isClose ? " =" : " ~");
                        compared++;
                    }
                }
            }
        }
        assertThat(compared).isPositive();
    }

    private static double number(Matcher interval, int group) {
        return Double.parseDouble(interval.group(group));
    }

    /** From the anchor, or the top of the page, to the next heading; of a table the row. */
    private static String section(Path page, String anchor) throws IOException {
        String text = CODE.matcher(Files.readString(page)).replaceAll("").replaceAll("[|]|-{3,}", " ");
        if (anchor == null) {
            return text.split("\n## ")[0];
        }
        return Stream.of(text.split("\n#+ "))
                .filter(each -> DocumentationTest.anchor(
                                each.lines().findFirst().orElse(""))
                        .equals(anchor))
                .findFirst()
                .orElseThrow();
    }

    /** The two commands that are all the set-up. CI takes them from the text; see .ci/readme. */
    @Test
    void theReadmeNamesTheDemoAndTheTests() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        List<String> commands = SHELL.matcher(readme)
                .results()
                .flatMap(block -> block.group(1).lines())
                .toList();
        assertThat(commands).contains("./rowlock demo", "./mvnw verify");
        List<String> screen = readme.lines().limit(60).toList();
        assertThat(screen).contains("./rowlock demo", "./mvnw verify");
        assertThat(words(String.join(" ", screen)))
                .as("words of the first screen")
                .isLessThanOrEqualTo(400);
    }

    /** A profile that starts a program was no program of the build; the menu starts them. */
    @ParameterizedTest
    @MethodSource("pages")
    void programsAreStartedByTheMenu(Path page) throws IOException {
        assertThat(Files.readString(page)).doesNotContain("-Pdemo", "-Pexample", "-Pshop");
    }

    /** One row is held by one transaction after the other: each has it for as long as its share of a second. */
    @Test
    void theHoldsAreDrawnFromTheResults() throws IOException {
        Map<String, String[]> rows = Files.readString(ROOT.resolve("docs/results.md"))
                .split("\n## One row\n")[1]
                .split("\n## ")[0]
                .lines()
                .filter(TABLE.asPredicate())
                .map(line -> line.split("\\|"))
                .collect(Collectors.toMap(cells -> cells[1].strip(), cells -> cells, (first, second) -> first));
        double byHand = Double.parseDouble(rows.get("by hand, tx/s")[3].strip().replace(",", ""));
        for (String name : List.of("`ROW`", "writes with the commit", "`execute`")) {
            double times = Double.parseDouble(rows.get(name)[3].strip().split("x")[0]);
            String millis = String.format(Locale.ROOT, ">%.1f ms<", 1000 / (byHand * times));
            assertThat(image("hold-light")).contains(millis);
            assertThat(image("hold-dark")).contains(millis);
        }
    }

    /** Each mark has its figure as a title, in the words of the table. */
    @Test
    void theRatiosOfOneJvmAreDrawnFromTheResults() throws IOException {
        String section = Files.readString(ROOT.resolve("docs/results.md"))
                .split("\n## One JVM\n")[1]
                .split("\n## ")[0];
        List<String> cells = section.lines()
                .filter(line -> line.startsWith("|") && INTERVAL.matcher(line).find())
                .flatMap(line -> Stream.of(line.split("\\|")).skip(2))
                .map(String::strip)
                .toList();
        assertThat(cells).isNotEmpty();
        for (String image : List.of(image("one-jvm-light"), image("one-jvm-dark"))) {
            assertThat(FIGURE.matcher(image).results().map(figure -> figure.group(1)))
                    .containsExactlyInAnyOrderElementsOf(cells);
        }
    }

    private static String image(String name) throws IOException {
        return Files.readString(ROOT.resolve("docs/img/" + name + ".svg"));
    }

    /** A page is whole in a closed network, and on a screen of either colour. */
    @Test
    void pagesLoadNothingFromElsewhere() throws IOException {
        for (Path page : pages()) {
            String text = Files.readString(page);
            assertThat(text).doesNotContain("```mermaid", "<script");
            assertThat(IMAGE.matcher(text).results().map(image -> page.resolveSibling(image.group(1))))
                    .allSatisfy(image -> assertThat(image).exists());
        }
        assertThat(Files.readString(ROOT.resolve("mkdocs.yml")))
                .contains("  font: false\n")
                .doesNotContain("mermaid", "extra_javascript");
    }

    private static String prose(Path page) throws IOException {
        String text = CODE.matcher(Files.readString(page)).replaceAll("");
        return TABLE.matcher(COMMENT.matcher(text).replaceAll("")).replaceAll("");
    }

    private static int words(String text) {
        return text.isBlank() ? 0 : text.strip().split("\\s+").length;
    }
}
