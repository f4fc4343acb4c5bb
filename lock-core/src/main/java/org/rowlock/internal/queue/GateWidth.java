package org.rowlock.internal.queue;

/** How many of this JVM may wait at the server for a row. */
interface GateWidth {
    /** Where nobody waits in the JVM. */
    int unqueued(RowEstimate estimate);

    /** Where somebody does. */
    int queued(RowEstimate estimate);

    /** Always as many. */
    record Fixed(int width) implements GateWidth {
        @Override
        public int unqueued(RowEstimate estimate) {
            return width;
        }

        @Override
        public int queued(RowEstimate estimate) {
            return width;
        }
    }

    /**
     * Few contenders are faster without a queue; where there is one, it is to be short at the server, and the shorter the more
     * other JVMs have one of their own. Never empty, so that the row is not free for a round trip; and longer where the row is
     * held for less than it takes to wake the next in the JVM.
     */
    record Adaptive() implements GateWidth {
        private static final int FEW = 12;
        private static final int WIDE = 4;

        /** About what waking a thread takes on a busy machine. */
        private static final double WAKE_NANOS = 500_000;

        /** Of a row that is held for less, no server's queue is long enough to cost anything. */
        private static final double SHORTEST_NANOS = WAKE_NANOS / 4;

        @Override
        public int unqueued(RowEstimate estimate) {
            int few = Math.max(WIDE, FEW - (int) estimate.foreign());
            return Math.max(few, queued(estimate));
        }

        @Override
        public int queued(RowEstimate estimate) {
            double held = estimate.heldNanos();
            if (held > 0 && held < SHORTEST_NANOS) {
                return Integer.MAX_VALUE;
            }
            if (held > 0 && held < WAKE_NANOS) {
                return (int) (WIDE * WAKE_NANOS / held);
            }
            double foreign = estimate.foreign();
            if (foreign > WIDE) {
                return 1;
            }
            return foreign > 2 ? 2 : WIDE;
        }
    }
}
