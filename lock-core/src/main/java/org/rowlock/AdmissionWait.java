package org.rowlock;

import java.time.Duration;
import java.util.List;

/**
 * One passage through the admission queue, for {@link LockListener}.
 *
 * @param keys the distinct keys, in the order their queues were entered
 * @param mode how strongly they are to be locked; the strongest where each has a mode of its own
 * @param admitted whether the caller was admitted; if not it timed out, was interrupted or found the queue full
 * @param took the time in the queues
 */
public record AdmissionWait(List<LockKey> keys, RowLockMode mode, boolean admitted, Duration took) {}
