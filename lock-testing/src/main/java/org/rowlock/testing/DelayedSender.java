package org.rowlock.testing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends bytes in order at their due times, on one thread. A sleep ends about 50 us late, so the thread sleeps until
 * shortly before the due time and then spins.
 */
final class DelayedSender implements AutoCloseable {
    static final ByteBuffer END = ByteBuffer.allocate(0);

    private static final long SPIN_NANOS = 80_000;

    private volatile long spinNanos = SPIN_NANOS;
    private static final long RETRY_NANOS = 100_000;

    private final PriorityQueue<Flow> due = new PriorityQueue<>(Comparator.comparingLong(flow -> flow.nextDue));
    private final Thread thread = new Thread(this::run, "proxy-sender");
    private boolean frozen;
    private boolean closed;

    /** One direction of a connection. The monitor of the sender guards the fields. */
    static final class Flow {
        private final SocketChannel target;
        private final Runnable lost;
        private final Deque<Chunk> chunks = new ArrayDeque<>();
        private long nextDue;

        /**
         * Creates a direction.
         *
         * @param lost runs if sending to the target fails
         */
        Flow(SocketChannel target, Runnable lost) {
            this.target = target;
            this.lost = lost;
        }
    }

    private record Chunk(ByteBuffer bytes, long due) {}

    DelayedSender() {
        thread.setDaemon(true);
        thread.start();
    }

    synchronized void send(Flow flow, ByteBuffer bytes, long dueNanos) {
        flow.chunks.add(new Chunk(bytes, dueNanos));
        if (flow.chunks.size() == 1) {
            flow.nextDue = dueNanos;
            due.add(flow);
            if (due.peek() == flow) {
                LockSupport.unpark(thread);
            }
        }
    }

    /** Disables spinning, which would keep a processor busy under load. */
    void sleepOnly() {
        spinNanos = 0;
    }

    synchronized void freeze(boolean freeze) {
        frozen = freeze;
        LockSupport.unpark(thread);
    }

    @Override
    public synchronized void close() {
        closed = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (true) {
            long wait;
            synchronized (this) {
                if (closed) {
                    return;
                }
                wait = frozen || due.isEmpty() ? Long.MAX_VALUE : due.peek().nextDue - System.nanoTime();
                if (wait <= 0) {
                    sendFirst(due.poll());
                    continue;
                }
            }
            if (wait > spinNanos) {
                LockSupport.parkNanos(wait - spinNanos);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private void sendFirst(Flow flow) {
        Chunk chunk = flow.chunks.peek();
        try {
            if (chunk.bytes().hasRemaining()) {
                flow.target.write(chunk.bytes());
            } else {
                flow.target.shutdownOutput();
            }
        } catch (IOException e) {
            flow.chunks.clear();
            flow.lost.run();
            return;
        }
        if (chunk.bytes().hasRemaining()) {
            // The socket buffer of the target is full. The sender retries later, and meanwhile serves other flows.
            flow.nextDue = System.nanoTime() + RETRY_NANOS;
            due.add(flow);
            return;
        }
        flow.chunks.poll();
        if (!flow.chunks.isEmpty()) {
            flow.nextDue = flow.chunks.peek().due();
            due.add(flow);
        }
    }
}
