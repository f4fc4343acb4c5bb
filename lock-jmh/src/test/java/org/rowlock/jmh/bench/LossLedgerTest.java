package org.rowlock.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rowlock.jmh.bench.LossLedger.Entry;
import org.rowlock.jmh.bench.LossLedger.Verdict;

/** Checks which histories around a crash count as errors. */
class LossLedgerTest {
    private static final int KEY = 7;

    private final LossLedger ledger = new LossLedger(10);

    private long enters() {
        long transaction = ledger.begin();
        ledger.enter(KEY, transaction);
        return transaction;
    }

    private long commits(long transaction) {
        ledger.leave(KEY, transaction);
        ledger.commitAsked(transaction);
        ledger.commitAcknowledged(transaction);
        return transaction;
    }

    private static Map<Integer, Long> token(long token) {
        return Map.of(KEY, token);
    }

    @Test
    void oneAfterTheOtherIsRight() {
        long one = enters();
        commits(one);
        long other = enters();
        commits(other);
        Verdict verdict = ledger.compare(List.of(new Entry(one, KEY, 1), new Entry(other, KEY, 2)), token(2));
        assertThat(verdict).isEqualTo(new Verdict(0, 0, 0, 0));
        assertThatCode(verdict::check).doesNotThrowAnyException();
    }

    @Test
    void aHolderThatCanNoLongerCommitIsNotInside() {
        long lost = enters();
        long next = enters();
        commits(next);
        ledger.leave(KEY, lost);
        ledger.commitAsked(lost);
        assertThat(ledger.compare(List.of(new Entry(next, KEY, 1)), token(1))).isEqualTo(new Verdict(0, 0, 0, 0));
        assertThat(ledger.unanswered()).isEqualTo(1);
    }

    @Test
    void aHolderThatCommitsAfterTheNextCameInIsADoubleEntry() {
        long first = enters();
        long second = enters();
        commits(first);
        Verdict verdict = ledger.compare(List.of(new Entry(first, KEY, 1)), token(1));
        assertThat(verdict).isEqualTo(new Verdict(1, 0, 0, 0));
        assertThatThrownBy(verdict::check)
                .isInstanceOf(InvariantViolation.class)
                .hasMessageContaining("1 double entries");
    }

    @Test
    void soIsOneThatWasNeverToldOfItsCommit() {
        long first = enters();
        enters();
        ledger.leave(KEY, first);
        ledger.commitAsked(first);
        assertThat(ledger.compare(List.of(new Entry(first, KEY, 1)), token(1))).isEqualTo(new Verdict(1, 0, 0, 0));
    }

    @Test
    void aLateLeaveDoesNotThrowOutTheNext() {
        long first = enters();
        long second = enters();
        ledger.leave(KEY, first);
        enters();
        commits(second);
        assertThat(ledger.compare(List.of(new Entry(second, KEY, 1)), token(1)).doubleEntries())
                .isEqualTo(1);
    }

    @Test
    void aTokenRaisedTwiceToTheSameIsALostUpdate() {
        long one = commits(ledger.begin());
        long other = commits(ledger.begin());
        List<Entry> journal = List.of(new Entry(one, KEY, 1), new Entry(other, KEY, 1));
        assertThat(ledger.compare(journal, token(1)).lostUpdates()).isEqualTo(1);
    }

    @Test
    void aRaiseThatIsMissingFromTheTokenIsALostUpdate() {
        long one = commits(ledger.begin());
        assertThat(ledger.compare(List.of(new Entry(one, KEY, 1)), Map.of()).lostUpdates())
                .isEqualTo(1);
        assertThat(ledger.compare(List.of(new Entry(one, KEY, 1)), token(2)).lostUpdates())
                .isEqualTo(1);
    }

    @Test
    void anAcknowledgedCommitMustBeThere() {
        commits(ledger.begin());
        assertThat(ledger.compare(List.of(), Map.of())).isEqualTo(new Verdict(0, 0, 1, 0));
    }

    @Test
    void aCommitMustHaveBeenAskedFor() {
        long never = ledger.begin();
        assertThat(ledger.compare(List.of(new Entry(never, KEY, 1)), token(1))).isEqualTo(new Verdict(0, 0, 0, 1));
    }
}
