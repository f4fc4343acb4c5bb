package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The README and docs are short, in plain words, with numbered hazards, and have each figure once. */
class ProseTest {
    private static final int WORDS = 18_000;
    private static final int WORDS_OF_README = 650;
    private static final int WORDS_OF_A_PAGE = 1_400;
    private static final int WORDS_OF_A_SENTENCE = 25;
    private static final int LONG_SENTENCES = 40;

    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent();
    private static final Path HAZARDS = ROOT.resolve("docs/hazards.md");

    private static final Pattern CODE = Pattern.compile("^ *```.*?^ *```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern COMMENT = Pattern.compile("^<!--.*-->$", Pattern.MULTILINE);
    private static final Pattern TABLE = Pattern.compile("^\\|.*$", Pattern.MULTILINE);
    private static final Pattern SPAN = Pattern.compile("`[^`]*`");
    private static final Pattern TARGET = Pattern.compile("\\]\\([^)]*\\)");
    private static final Pattern PARAGRAPH = Pattern.compile("\n\n+|\n(?= *(?:[-#*]|\\d+\\.) )");
    private static final Pattern SENTENCE = Pattern.compile("(?<=[.!?:])[ )\n]");

    /** An actor without a name, or a figure of speech: see the rules of English in the words around each use. */
    private static final Pattern NOT_PLAIN = Pattern.compile(
            "\\b(who|whom|whoever|tells?|lets? in|stands? behind|comes? to|goes on with)\\b", Pattern.CASE_INSENSITIVE);

    private static final Pattern HAZARD = Pattern.compile(
            "^\\| <a id=\"h(\\d+)\"></a>H(\\d+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$", Pattern.MULTILINE);
    private static final Pattern HAZARD_LINK = Pattern.compile("\\[([^\\]]+)\\]\\((?:docs/)?hazards\\.md#h(\\d+)\\)");
    private static final Pattern RATIO = Pattern.compile("\\b\\d+\\.\\d+x");

    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of(ROOT.resolve("README.md")),
                            docs.filter(path -> path.toString().endsWith(".md")).sorted())
                    .toList();
        }
    }

    @Test
    void theWholeIsShort() throws IOException {
        int words = 0;
        for (Path page : pages()) {
            words += words(CODE.matcher(Files.readString(page)).replaceAll(""));
        }
        assertThat(words).as("words of README and docs without code").isLessThanOrEqualTo(WORDS);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyPageIsShort(Path page) throws IOException {
        assertThat(words(CODE.matcher(Files.readString(page)).replaceAll("")))
                .as("words of %s without code", page)
                .isLessThanOrEqualTo(page.endsWith("README.md") ? WORDS_OF_README : WORDS_OF_A_PAGE);
    }

    @Test
    void fewSentencesAreLong() throws IOException {
        List<String> longOnes = new ArrayList<>();
        for (Path page : pages()) {
            for (String paragraph : PARAGRAPH.split(prose(page))) {
                for (String sentence : SENTENCE.split(paragraph)) {
                    if (words(sentence) > WORDS_OF_A_SENTENCE) {
                        longOnes.add(
                                page.getFileName() + ": " + sentence.strip().replaceAll("\\s+", " "));
                    }
                }
            }
        }
        assertThat(longOnes).hasSizeLessThanOrEqualTo(LONG_SENTENCES);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyActorIsNamed(Path page) throws IOException {
        String words = CODE.matcher(Files.readString(page)).replaceAll("");
        words = SPAN.matcher(TARGET.matcher(words).replaceAll("]")).replaceAll("code");
        assertThat(NOT_PLAIN.matcher(words).results().map(MatchResult::group)).isEmpty();
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
                .allSatisfy(ratio -> assertThat(results).contains(ratio));
    }

    private static String prose(Path page) throws IOException {
        String text = CODE.matcher(Files.readString(page)).replaceAll("");
        return TABLE.matcher(COMMENT.matcher(text).replaceAll("")).replaceAll("");
    }

    private static int words(String text) {
        return text.isBlank() ? 0 : text.strip().split("\\s+").length;
    }
}
