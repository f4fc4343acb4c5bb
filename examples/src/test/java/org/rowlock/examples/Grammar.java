package org.rowlock.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds sentences that have to be read twice. It judges grammar, and takes a doubtful sentence for a right one. */
final class Grammar {
    /** The place of a text. */
    enum Part {
        /** The first sentences of a Javadoc comment. */
        SUMMARY,
        /** A comment in code. */
        COMMENT,
        /** A later paragraph, or one of a page. */
        PARAGRAPH,
        /** The description behind a Javadoc tag, which need not be a sentence. */
        TAG
    }

    /** A part of a source's comments, or of a page. */
    record Prose(Part part, String text) {}

    private static final int WORDS_OF_A_SENTENCE = 25;

    /** A comment that begins so lacks its subject, or refers to something outside of it. */
    private static final Pattern HEADLESS = Pattern.compile(
            "(?:(?:of|that|those|nor|also|it|they|as|where|or|only|again|apart|none|what|who|whom|whoever|but|else|has|such"
                    + "|not|so|its|otherwise|neither|by(?! (?:hand|default))"
                    + "|this (?!access|address|class|process)(?:\\w+s|also|can|cannot|could|may|must|would)"
                    + "|these (?:are|can|do|have|may|must|were))\\b|(?!Code)\\w+, (?:as|because|since|so)\\b).*",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern ACTOR =
            Pattern.compile("\\b(?:nobody|somebody|anybody|everybody|whoever|whom?)\\b", Pattern.CASE_INSENSITIVE);

    /** A sentence, and no question, whose subject is a clause. */
    private static final Pattern CLAUSE = Pattern.compile("What\\b.*[^?]");

    /** The conjunction of a comparison in place of that of a cause. */
    private static final Pattern CAUSE = Pattern.compile(
            ", as (?:they|there|this|these|nothing|no|each|every|otherwise|else|some|most|(?!Spring|String)\\w+ing"
                    + "|it(?! (?:is|was|does|did|has|would)\\b[^,]*$)|(?:\\w+ ){1,5}(?:may|might|must|cannot|could) \\w+)\\b"
                    + "|, since (?!when\\b)",
            Pattern.CASE_INSENSITIVE);

    /** Phrases that have one meaning to the writer and another to the reader. */
    private static final Pattern PHRASE = Pattern.compile(
            "\\b(?:hears? of|(?:is|are|was|were|be) to be had|(?:can|could|cannot|not) be had|dear(?:ly)?|stands? behind"
                    + "|lets? (?:\\w+ )?in|comes? to|goes? on with"
                    + "|pass(?:es)? (?:\\S+ ){1,2}by)\\b",
            Pattern.CASE_INSENSITIVE);

    /** The article in place of the word for a ratio: {@code one a statement}. */
    private static final Pattern PER = Pattern.compile(
            "\\b(?:one|two|three|values?|trips?|rows|bytes|entries|\\d+) an?"
                    + " (?:row|key|statement|call|transaction|commit|page|table|JVM|caller|session|round|column|parameter|write)\\b");

    /** A word for a place in front of what has a time: {@code behind the lock}. */
    private static final Pattern PLACE = Pattern.compile(
            "\\b(?:behind|in front of)"
                    + " (?:(?:the|a|an|its|their|that|this|these|each|all|both|it|them) )?(?:(?!connection|DataSource)[-\\w]+ )?"
                    + "(?:locks?|savepoints?|commits?|waits?|statements?|flush|snapshot|writes?|reads?|query|queries)\\b"
                    + "|\\b(?:locks?|keys?|query|one) in front\\b",
            Pattern.CASE_INSENSITIVE);

    /** A verb of motion or speech for what is sent, returned or known. */
    private static final Pattern MOTION = Pattern.compile(
            "\\bg(?:o|oes|oing) (?:with|alone|in front|behind)\\b|\\bwent with\\b"
                    + "|\\b(?:is|are|was|were|be|been) (?:told|handed)\\b|\\b(?:all the same|in hand(?!-))\\b",
            Pattern.CASE_INSENSITIVE);

    /** An auxiliary, an irregular verb, or a word whose ending may be that of a verb. */
    private static final Pattern VERB = Pattern.compile(
            "\\b(?:am|are|be|been|began|can|cannot|could|cut|did|do|found|get|go|got|had|have|held|is|kept|left|lost|made"
                    + "|apply|begin|block|come|give|hold|keep|know|lock|queue|show|use|wait|want|write"
                    + "|may|meet|might|must|need|put|ran|read|run|saw|sent|set|shall|should|take|took|was|went|were|will"
                    + "|would|(?!this|across|less|unless|always|process|access|class|address|thus)\\w{2,}s|\\w+ed|\\w+n't)\\b",
            Pattern.CASE_INSENSITIVE);

    /** A sentence that begins so is no command. */
    private static final Set<String> NO_COMMAND = Set.of(
            ("a an the this these with without for from to in on at by behind under over after before between per no"
                            + " within beside because if when while")
                    .split(" "));

    private static final Pattern SENTENCE = Pattern.compile("[^.!?:]+(?:[.!?:](?![ )]|$)[^.!?:]*)*[.!?:]?");
    private static final Pattern CLAUSES = Pattern.compile("; ");
    private static final Pattern CODE = Pattern.compile("\\{@\\w+ [^}]*}|`[^`]*`|\"[^\"]*\"");

    private static final Pattern TOKEN = Pattern.compile(
            "\"\"\"(?:[^\"\\\\]|\\\\.|\"(?!\"\"))*+\"\"\"|\"(?:[^\"\\\\\n]|\\\\.)*+\"|'(?:[^'\\\\\n]|\\\\.)*+'"
                    + "|/\\*.*?\\*/|//[^\n]*",
            Pattern.DOTALL);
    private static final Pattern MARKER = Pattern.compile("(?:snippet: .*|end|was: .*)");
    private static final Pattern PREFORMATTED = Pattern.compile("<pre>.*?</pre>", Pattern.DOTALL);
    private static final Pattern PARTS =
            Pattern.compile("\n\\s*\n|</?(?:p|ul|ol|li|table|caption|t[rdh])\\b[^>]*>|\n(?=@)|^(?=@)");
    private static final Pattern TAG = Pattern.compile("@(?:(?:param|throws|see) \\S+|\\w+)\\s*");

    private Grammar() {}

    /** Returns a description of each fault. */
    static List<String> faults(Prose prose) {
        List<String> faults = new ArrayList<>();
        String plain = CODE.matcher(prose.text().replaceAll("\\s+", " "))
                .replaceAll("Code")
                .replaceAll("<[^>]+>", "")
                .strip();
        boolean begins = prose.part() == Part.SUMMARY || prose.part() == Part.COMMENT;
        if (begins && HEADLESS.matcher(plain).matches()) {
            faults.add("no subject: " + plain);
        }
        if (prose.part() == Part.SUMMARY && Character.isLowerCase(plain.codePointAt(0))) {
            faults.add("no capital: " + plain);
        }
        char before = begins ? ':' : '.';
        for (MatchResult found : SENTENCE.matcher(plain).results().toList()) {
            String sentence = found.group().strip().replaceFirst("^\\) *", "");
            add(faults, "no named actor", ACTOR.matcher(sentence).find(), sentence);
            add(faults, "as for because", CAUSE.matcher(sentence).find(), sentence);
            add(faults, "figure of speech", PHRASE.matcher(sentence).find(), sentence);
            add(faults, "article for per", PER.matcher(sentence).find(), sentence);
            add(faults, "place for time", PLACE.matcher(sentence).find(), sentence);
            add(faults, "figure of speech", MOTION.matcher(sentence).find(), sentence);
            if (prose.part() != Part.TAG) {
                add(faults, "clause as a subject", CLAUSE.matcher(sentence).matches(), sentence);
                add(faults, "no verb", before != ':' && lacksVerb(sentence), sentence);
            }
            for (String clause : prose.part() == Part.TAG ? CLAUSES.split(sentence) : new String[] {sentence}) {
                add(faults, "long", clause.split(" ").length > WORDS_OF_A_SENTENCE, clause);
            }
            before = sentence.isEmpty() ? before : sentence.charAt(sentence.length() - 1);
        }
        return faults;
    }

    private static boolean lacksVerb(String sentence) {
        String[] words = sentence.split(" ");
        return words.length > 2
                && Character.isUpperCase(sentence.codePointAt(0))
                && sentence.endsWith(".")
                && !sentence.contains(",")
                && NO_COMMAND.contains(words[0].toLowerCase(Locale.ROOT))
                && !VERB.matcher(sentence).find();
    }

    private static void add(List<String> faults, String rule, boolean isBroken, String sentence) {
        if (isBroken) {
            faults.add(rule + ": " + sentence);
        }
    }

    /** Returns the comments of a Java source. Those behind code on the same line are left out. */
    static List<Prose> comments(String source) {
        List<Prose> all = new ArrayList<>();
        StringBuilder lines = new StringBuilder();
        int end = -1;
        for (Matcher token = TOKEN.matcher(source); token.find(); ) {
            String comment = token.group();
            boolean isAlone = source.substring(source.lastIndexOf('\n', token.start()) + 1, token.start())
                    .isBlank();
            if (comment.startsWith("//") && isAlone) {
                String line = comment.substring(2).strip();
                if (MARKER.matcher(line).matches()
                        || !source.substring(Math.max(0, end), token.start()).matches("\n *")) {
                    flush(lines, all);
                }
                if (!MARKER.matcher(line).matches()) {
                    lines.append(line).append('\n');
                }
                end = token.end();
            } else if (comment.startsWith("/**")) {
                flush(lines, all);
                addJavadoc(comment.substring(3, comment.length() - 2), all);
            }
        }
        flush(lines, all);
        return all;
    }

    private static void flush(StringBuilder lines, List<Prose> all) {
        if (!lines.isEmpty()) {
            all.add(new Prose(Part.COMMENT, lines.toString()));
            lines.setLength(0);
        }
    }

    private static void addJavadoc(String comment, List<Prose> all) {
        String text =
                comment.lines().map(line -> line.replaceFirst("^\\s*\\* ?", "")).reduce("", (a, b) -> a + "\n" + b);
        text = PREFORMATTED.matcher(text.strip()).replaceAll("\n\n");
        boolean isFirst = true;
        for (String part : PARTS.split(text)) {
            Matcher tag = TAG.matcher(part.strip());
            boolean isTag = tag.lookingAt();
            String words = isTag ? part.strip().substring(tag.end()) : part.strip();
            if (!words.isBlank()) {
                all.add(new Prose(isTag ? Part.TAG : isFirst ? Part.SUMMARY : Part.PARAGRAPH, words));
            }
            isFirst = false;
        }
    }
}
