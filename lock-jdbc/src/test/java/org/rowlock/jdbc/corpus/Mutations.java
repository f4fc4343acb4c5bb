package org.rowlock.jdbc.corpus;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rowlock.jdbc.corpus.Corpus.Entry;

/** Makes statements that are nearly those of the corpus, the same ones for the same seed. */
final class Mutations {
    private static final Pattern TOKEN =
            Pattern.compile("'[^']*'|\"[^\"]*\"|\\w+|\\s+|<=|>=|<>|::|--[^\\n]*\\n|.", Pattern.DOTALL);

    /** What hurts most where it does not belong. */
    private static final List<String> INSERTED = List.of(
            " or ",
            " and ",
            " not ",
            "(",
            ")",
            ",",
            "'",
            "\"",
            ";",
            "?",
            "=",
            "<>",
            "::text",
            "/*",
            "*/",
            "--",
            "\n",
            " in ",
            " (1)",
            " limit 1 ",
            " for update ",
            " for share ",
            " of ",
            " nowait ",
            " skip locked ",
            " join ",
            " where ",
            " and 1 = 1",
            " or true",
            " union all select ",
            " between 1 and 2 ",
            " is null ",
            " id = 1 ",
            "$$",
            "E'",
            " + 1",
            " - ",
            ".",
            " as x ",
            " only ",
            " returning ",
            " case when true then 1 end ",
            " null ",
            "\\");

    private final Random random;
    private final List<Entry> entries;

    Mutations(long seed, List<Entry> entries) {
        this.random = new Random(seed);
        this.entries = entries;
    }

    Entry next() {
        Entry entry = one(entries);
        List<String> tokens = new ArrayList<>();
        Matcher token = TOKEN.matcher(entry.sql());
        while (token.find()) {
            tokens.add(token.group());
        }
        for (int i = random.nextInt(3); i >= 0; i--) {
            mutate(tokens);
        }
        String sql = String.join("", tokens);
        List<String> parameters = new ArrayList<>(entry.parameters());
        return new Entry(entry.line(), entry.source(), sql, parameters, entry.expected());
    }

    private void mutate(List<String> tokens) {
        int at = random.nextInt(tokens.size());
        switch (random.nextInt(6)) {
            case 0 -> tokens.add(at, one(INSERTED));
            case 1 -> tokens.set(at, one(INSERTED));
            case 2 -> tokens.set(at, random.nextBoolean() ? "" : tokens.get(at) + tokens.get(at));
            case 3 -> tokens.set(at, tokens.set(random.nextInt(tokens.size()), tokens.get(at)));
            case 4 -> tokens.addAll(at, rest(one(entries).sql()));
            default ->
                tokens.subList(at + (tokens.size() - at) / 2, tokens.size()).clear();
        }
        if (tokens.isEmpty()) {
            tokens.add("");
        }
    }

    /** The conditions of another statement. */
    private static List<String> rest(String sql) {
        int where = sql.toLowerCase(java.util.Locale.ROOT).lastIndexOf("where");
        return where < 0 ? List.of(sql) : List.of(sql.substring(where + "where".length()));
    }

    private <T> T one(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
