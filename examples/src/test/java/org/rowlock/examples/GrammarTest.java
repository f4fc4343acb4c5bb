package org.rowlock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rowlock.examples.Grammar.Part;
import org.rowlock.examples.Grammar.Prose;

/** Sentences that had to be read twice break a rule each; those that took their places break none. */
class GrammarTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "clause as a subject | What goes wrong by chance it sees by chance",
                "as for because      | passes the queues by, as waiting there could deadlock",
                "as for because      | The list is copied, as a bind may be null",
                "as for because      | The key is random, since others have keys of their own",
                "figure of speech    | costs a pool of few connections dearly",
                "figure of speech    | The lock could not be had in time",
                "no subject          | This throws the driver's exception if the statement is closed.",
                "no subject          | These are locked only by their key.",
                "no subject          | Its stack trace would only show the initialization of this class.",
                "no subject          | Otherwise the branch could be committed later.",
                "no subject          | Throwable, because an Error ends the hold too",
                "no subject          | Not earlier: a pooler knows the request only while it knows the client",
                "no subject          | So that one key does not take the pool",
                "no subject          | By the name alone: a table is looked up once",
                "no subject          | Of an admission queue 2 to begin with, and up to 8 of a key that is held for less"
                        + " than the next takes to come",
                "no subject          | of a kind that a lock cannot be taken in",
                "figure of speech    | the caller hears of it when it is durable",
                "no subject          | Where so many over all JVMs want a row that it pays",
                "no named actor      | whether a connection was to be had. As long as it was not, nobody waits",
                "no subject          | Of what may have been less the shorter ones say more",
                "no subject          | Has nothing committed unless each execution changes exactly one row",
                "no named actor      | Only if it waits for nobody at the server either",
                "article for per     | Round trips between lock and commit, one a statement",
                "article for per     | Adds a query for one value a row",
                "place for time      | Runs a query behind the locks",
                "place for time      | Sends an advisory lock in front of the statement",
                "place for time      | An absent row has no lock in front",
                "figure of speech    | The writes go with the COMMIT",
                "figure of speech    | The caller is told that the row is absent",
                "figure of speech    | The queue is entered with a connection in hand",
                "no capital          | the lock of a row",
                "no verb             | Waits for the lock. For the server alone.",
                "long                | Waits for the lock of a row that another transaction holds until it ends or the"
                        + " time is over and then reports which of the two it was to the caller",
            })
    void findsWhatHasToBeReadTwice(String rule, String sentence) {
        assertThat(faults(sentence)).anySatisfy(fault -> assertThat(fault).startsWith(rule + ": "));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Intermittent faults may be missed",
                "A nested call skips the queue, because waiting there could deadlock",
                "A nested call skips the queue, because waiting there could deadlock, and borrows a second connection. In"
                        + " a small pool, lock all keys in the outer call.",
                "Admission starts at 2 and grows to 8 for keys that are held for less time than the next transaction takes"
                        + " to arrive",
                "No lock can be acquired on this connection or in this transaction",
                "`commit()` returns once the transaction is durable",
                "When enough JVMs contend for a row",
                "Reports whether a connection was obtained. Until one is, callers skip the queue",
                "An inexact hold time may be an overestimate, so shorter ones weigh more",
                "Rolls back unless every execution changes exactly one row",
                "Enters only if no transaction holds the lock at the server",
                "This class measures the time. Its clock is monotonic.",
                "These rows are locked only by their key. Otherwise they could be deleted meanwhile.",
                "Locks as FOR UPDATE does, as it is described there. Not thread-safe.",
                "The id columns of a table. What is locked?",
                "The driver behind the pool sends one statement, and waits behind a proxy.",
                "Locks one row, and then runs a query after the lock. A pool in front of the drop-in is allowed.",
            })
    void acceptsWhatIsReadOnce(String sentence) {
        assertThat(faults(sentence)).isEmpty();
    }

    @Test
    void readsTheCommentsOfASource() {
        String source = """
                /**
                 * The summary {@code of} a class.
                 *
                 * <p>Its paragraph.
                 *
                 * @param name the tag
                 */
                String text = "// no comment"; // behind code
                // snippet: name
                // One comment
                // in two lines.
                int i;
                // Another one.
                """;
        assertThat(Grammar.comments(source))
                .containsExactly(
                        new Prose(Part.SUMMARY, "The summary {@code of} a class."),
                        new Prose(Part.PARAGRAPH, "Its paragraph."),
                        new Prose(Part.TAG, "the tag"),
                        new Prose(Part.COMMENT, "One comment\nin two lines.\n"),
                        new Prose(Part.COMMENT, "Another one.\n"));
    }

    private static List<String> faults(String sentence) {
        return Grammar.faults(new Prose(Part.SUMMARY, sentence));
    }
}
