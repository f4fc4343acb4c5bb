package org.rowlock.jmh.bench;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.rowlock.jmh.server.BenchmarkServer;

/**
 * Detects two threads that hold the same lock at once. A thread enters after it has acquired the lock, and leaves
 * before the commit that releases the lock. The check runs no SQL, so the measured work does not change. Keys are
 * numbered from 0. Thread-safe.
 */
final class Exclusion {
    private static final VarHandle INSIDE = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    /** The state of each key: -1 for an exclusive holder, or the number of sharers. */
    private final ByteBuffer inside;

    private final AtomicReference<@Nullable String> violation = new AtomicReference<>();

    Exclusion(int keys) {
        this(ByteBuffer.allocateDirect(keys * Integer.BYTES));
    }

    private Exclusion(ByteBuffer inside) {
        this.inside = inside;
    }

    /** Creates an exclusion among processes that map the same, initially empty, file. */
    static Exclusion among(Path file, int keys) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Exclusion(channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) keys * Integer.BYTES));
        }
    }

    void enter(int key, boolean isShared) {
        int found = update(key, state -> isShared ? Math.max(state, 0) + 1 : -1);
        if (isShared ? found < 0 : found != 0) {
            violation.compareAndSet(
                    null,
                    "Two transactions were inside the lock of key " + key + " at the same time ("
                            + (found < 0 ? "one exclusively" : found + " in a shared mode") + " when another entered)");
        }
    }

    void leave(int key, boolean isShared) {
        update(key, state -> isShared ? Math.max(state - 1, 0) : 0);
    }

    void inside(int key, BenchmarkServer.Step work) throws SQLException {
        inside(key, false, work);
    }

    void inside(int key, boolean isShared, BenchmarkServer.Step work) throws SQLException {
        enter(key, isShared);
        try {
            work.run();
        } finally {
            leave(key, isShared);
        }
    }

    private int update(int key, IntUnaryOperator change) {
        int found;
        do {
            found = (int) INSIDE.getVolatile(inside, key * Integer.BYTES);
        } while (!INSIDE.compareAndSet(inside, key * Integer.BYTES, found, change.applyAsInt(found)));
        return found;
    }

    void check() {
        String found = violation.get();
        if (found != null) {
            throw new InvariantViolation(found);
        }
    }
}
