package org.rowlock.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/**
 * Checks statements of random tokens. All values and comments contain Z and 7, and no other token contains these
 * characters.
 */
class SqlTextPropertiesTest {
    /**
     * A part of a statement.
     *
     * @param kept the part of the token that must stay visible; empty for a value or a comment
     */
    private record Token(String sql, String kept) {
        static Token value(String sql) {
            return new Token(sql, "");
        }
    }

    @Property
    void noValueSurvivesAndEveryNameDoes(@ForAll("statements") List<Token> tokens) {
        String normalized = SqlText.normalize(text(tokens));
        assertThat(normalized).doesNotContain("Z", "7");
        String rest = normalized;
        for (Token token : tokens) {
            assertThat(rest).contains(token.kept);
            rest = rest.substring(rest.indexOf(token.kept) + token.kept.length());
        }
    }

    @Property
    void noValueSurvivesWhereTheServerCutsTheStatement(
            @ForAll("statements") List<Token> tokens, @ForAll @IntRange(min = 0, max = 1_000) int length) {
        String sql = text(tokens);
        assertThat(SqlText.normalize(sql.substring(0, Math.min(length, sql.length()))))
                .doesNotContain("Z", "7");
    }

    private static String text(List<Token> tokens) {
        return tokens.stream().map(Token::sql).collect(Collectors.joining(" "));
    }

    @Provide
    Arbitrary<List<Token>> statements() {
        Arbitrary<Token> names = Arbitraries.of(
                        "select",
                        "from",
                        "for update",
                        "t2",
                        "e",
                        "a$1$",
                        "\"col 1\"",
                        "\"it's\"",
                        "\"a\"\"b -- /*\"",
                        "u&\"d\\0061\"",
                        "$1",
                        "$23",
                        "(",
                        "=",
                        ",")
                .map(name -> new Token(name, name));
        return Arbitraries.oneOf(names, strings(), dollarQuoted(), numbers(), comments())
                .list()
                .ofMinSize(1)
                .ofMaxSize(20);
    }

    private static Arbitrary<String> text() {
        return Arbitraries.strings()
                .withChars("Z7'\"\\$-/* \n(,eE")
                .ofMaxLength(12)
                .map(text -> "Z7" + text + "7Z");
    }

    private static Arbitrary<Token> strings() {
        return Combinators.combine(Arbitraries.of("", "E", "e", "n", "N", "U&", "B", "x"), text())
                .as((prefix, text) -> Token.value(prefix
                        + '\''
                        + (prefix.equalsIgnoreCase("e") ? text.replace("\\", "\\\\") : text.replace("\\", ""))
                                .replace("'", prefix.equals("E") ? "\\'" : "''")
                        + '\''));
    }

    private static Arbitrary<Token> dollarQuoted() {
        return Combinators.combine(Arbitraries.of("$$", "$x$", "$_a1$"), text())
                .filter((quote, text) -> !text.contains(quote))
                .as((quote, text) -> Token.value(quote + text + quote));
    }

    private static Arbitrary<Token> numbers() {
        return Arbitraries.of(
                        "7", "-77", "7.7", ".7", "7.", "7e7", "77.7E-7", "7e+77", "0x7F7", "0o77", "7_7_7", "7_7.7_7")
                .map(Token::value);
    }

    private static Arbitrary<Token> comments() {
        Arbitrary<Token> blocks = Combinators.combine(text(), text())
                .as((one, other) -> Token.value("/*" + words(one) + "/*" + words(other) + "*/" + words(one) + "*/"));
        Arbitrary<Token> lines = text().map(text -> Token.value("--" + text.replace("\n", "") + "\n"));
        return Arbitraries.oneOf(blocks, lines);
    }

    private static String words(String text) {
        return text.replace("/", "").replace("*", "");
    }
}
