package org.rowlock.examples.demo;

import org.HdrHistogram.Histogram;

/**
 * What clients wrote down of their own committed transfers, to hold against what the server says. Not thread-safe: one
 * per client, summed up afterwards.
 */
final class ClientLog {
    private final Histogram waitMicros = new Histogram(3);

    /** How much richer each account became; by account number minus one. */
    private final long[] changes = new long[DemoAccounts.COUNT];

    private long transfers;

    void record(Transfer transfer, Receipt receipt) {
        transfers++;
        waitMicros.recordValue(receipt.waitNanos() / 1_000);
        changes[transfer.from() - 1] -= receipt.moved();
        changes[transfer.to() - 1] += receipt.moved();
    }

    void add(ClientLog other) {
        transfers += other.transfers;
        waitMicros.add(other.waitMicros);
        for (int i = 0; i < changes.length; i++) {
            changes[i] += other.changes[i];
        }
    }

    long transfers() {
        return transfers;
    }

    double waitMillisAt(double percentile) {
        return waitMicros.getValueAtPercentile(percentile) / 1_000.0;
    }

    long change(int account) {
        return changes[account - 1];
    }
}
