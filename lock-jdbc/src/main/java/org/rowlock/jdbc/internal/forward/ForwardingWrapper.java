package org.rowlock.jdbc.internal.forward;

import java.sql.SQLException;
import java.sql.Wrapper;

/** Unwraps to itself, or to what is below. Looks in the logs like what is below. */
public abstract class ForwardingWrapper implements Wrapper {
    private final Wrapper delegate;

    protected ForwardingWrapper(Wrapper delegate) {
        this.delegate = delegate;
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        unwrapped();
        return type.isInstance(delegate) ? type.cast(delegate) : delegate.unwrap(type);
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || type.isInstance(delegate) || delegate.isWrapperFor(type);
    }

    /**
     * Called before the application gets the delegate.
     *
     * @throws SQLException if it must not get it now
     */
    protected void unwrapped() throws SQLException {}

    /**
     * {@return whether this is what stands for another}
     *
     * @param other what may be below
     */
    protected final boolean wraps(Wrapper other) {
        return delegate.equals(other);
    }

    @Override
    public String toString() {
        return delegate.toString();
    }
}
