package org.rowlock.internal.value;

import java.time.Duration;
import java.util.List;
import org.rowlock.LockKey;
import org.rowlock.LockListener.Kind;
import org.rowlock.LockListener.LockEvent;
import org.rowlock.LockListener.Outcome;
import org.rowlock.LockStrategy;
import org.rowlock.RowLockMode;

public record EndedEvent(
        Kind kind,
        List<LockKey> keys,
        RowLockMode mode,
        LockStrategy strategy,
        LockWait lockWait,
        Outcome outcome,
        Duration took)
        implements LockEvent {}
