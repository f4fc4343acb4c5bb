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
     * other JVMs have one of their own. Never empty, so that the row is not free for a round trip.
     */
    record Adaptive() implements GateWidth {
        private static final int FEW = 8;
        private static final int WIDE = 4;

        @Override
        public int unqueued(RowEstimate estimate) {
            return Math.max(FEW - (int) estimate.foreign(), queued(estimate));
        }

        @Override
        public int queued(RowEstimate estimate) {
            double foreign = estimate.foreign();
            if (foreign > WIDE) {
                return 1;
            }
            return foreign > 2 ? 2 : WIDE;
        }
    }
}
