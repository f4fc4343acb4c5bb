package org.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@link RowlockException#isRetryable} is what the table in docs/errors.md says. */
class RetryableTest {
    private static final Pattern EXCEPTION = Pattern.compile("`(\\w+Exception)`(?! with| of)");
    private static final SQLException SQL = new SQLException("by the server", "XX000");

    private static Map<String, RowlockException> exceptions() {
        Map<String, RowlockException> exceptions = new LinkedHashMap<>();
        for (RowlockException each : new RowlockException[] {
            new CommitNotConfirmedException("m", SQL.getSQLState(), SQL),
            new CommitOutcomeUnknownException("m", SQL.getSQLState(), SQL),
            new LockCanceledException("m", SQL.getSQLState(), SQL),
            new LockConnectionLostException("m", SQL.getSQLState(), SQL),
            new LockDeadlockException("m", SQL.getSQLState(), SQL),
            new LockInterruptedException("m", null, null),
            new LockNotAvailableException("m", null, null),
            new LockSerializationException("m", null, null),
            new LockTableFullException("m", SQL.getSQLState(), SQL),
            new LockTargetException("m", null, null),
            new LockTransactionException("m", null, null),
            new RowAbsentException("m", null, null),
            new UnexpectedRowCountException("m", null, null)
        }) {
            exceptions.put(each.getClass().getSimpleName(), each);
        }
        return exceptions;
    }

    @Test
    void isRetryableAsTheTableInTheDocsSays() throws Exception {
        String docs = Files.readString(Path.of("../docs/errors.md"));
        String table = docs.substring(docs.indexOf("## One table"));
        Map<String, RowlockException> left = exceptions();
        for (String line : table.lines().filter(row -> row.startsWith("| ")).toList()) {
            String[] cells = line.split("\\|");
            boolean yes = cells[2].strip().startsWith("yes");
            Matcher named = EXCEPTION.matcher(cells[1]);
            while (named.find()) {
                RowlockException exception = left.remove(named.group(1));
                if (exception != null) {
                    assertThat(exception.isRetryable()).as(named.group(1)).isEqualTo(yes);
                }
            }
        }
        assertThat(left).as("not in the table").isEmpty();
    }

    /** A user has a jar and no docs: the link is absolute, and stays as it is where the message is quoted. */
    @Test
    void everyMessageLinksToTheRowOfItsException() throws Exception {
        Map<String, RowlockException> exceptions = exceptions();
        exceptions.put("RowlockException", new RowlockException("m", SQL.getSQLState(), SQL));
        exceptions.put("LockVerificationException", new LockVerificationException("m", SQL.getSQLState(), SQL));
        String docs = Files.readString(Path.of("../docs/errors.md"));
        exceptions.forEach((name, exception) -> {
            String anchor = name.toLowerCase(Locale.ROOT);
            assertThat(exception)
                    .hasMessage("m (see https://github.com/rowlock/rowlock/blob/main/docs/errors.md#" + anchor + ")");
            assertThat(docs).contains("<a id=\"" + anchor + "\"></a>");
            assertThat(new RowlockException(Objects.requireNonNull(exception.getMessage()), SQL.getSQLState(), SQL))
                    .hasMessage(exception.getMessage());
        });
    }

    @Test
    void whatNobodyUnderstandsIsNotRetryable() {
        assertThat(new RowlockException("m", SQL.getSQLState(), SQL).isRetryable())
                .isFalse();
    }
}
